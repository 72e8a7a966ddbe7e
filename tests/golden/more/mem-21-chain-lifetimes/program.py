from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class CHAIN:
    @func
    def f(x: Tensor[(128, 100), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            a = tf.exp(x)
            b = tf.transpose(a, (1, 0))
            c = tf.matmul(a, b)
            d = tf.reduce(c, axes=(0,), kind="sum")
            e = tf.concat([d, d], axis=0)
            return e
