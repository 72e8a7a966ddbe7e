from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="top", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class BAD:
    @func
    def two(x: Tensor[(4, 4), "f32"]) -> tuple[Tensor[(4, 4), "f32"], Tensor[(4, 4), "f32"]]:
        return (x, x + x)

    @func
    def top(x: Tensor[(4, 4), "f32"]):
        y = two(x)
        return tf.exp(y)
