from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class TS:
    @func
    def f(x: Tensor[(30, 400), "f32"]) -> Tensor[(30, 40), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            acc = tf.zeros(Tensor[(30, 40), "f32"])
            for w in tf.tile(80, 400, 40):
                acc = acc + x[:, w] * x[:, w]
            return acc
