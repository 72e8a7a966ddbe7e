from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 3),))
class NEGAX:
    @func
    def f(x: Tensor[(12, 18, 20), "f32"]):
        with Mesh(("cta",), layout=(3,), names=("u",)) as g:
            a = tf.reduce(x, axes=(-1,), kind="min")
            b = tf.softmax(x, axis=-2)
            return a + tf.reduce(b, axes=(-1,), kind="max")
