from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class AXES:
    @func
    def f(x: Tensor[(4, 6, 8, 10), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            a = tf.reduce(x, axes=(1, 3), keepdim=True, kind="sum")
            b = tf.reduce(x, axes=(0, 2), keepdim=False, kind="mean")
            c = tf.reduce(x, axes=(3,), kind="abs_max")
            return a, b, c
