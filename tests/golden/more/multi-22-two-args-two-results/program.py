from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="top", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class TWOFER:
    @func
    def turn(a: Tensor[(40, 8), "f32"], b: Tensor[(40, 8), "f32"]) -> tuple[Tensor[(40, 8), "f32"], Tensor[(40, 8), "f32"]]:
        return (a * b, a - b)

    @func
    def top(x: Tensor[(40, 8), "f32"], y: Tensor[(40, 8), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            p, q = turn(x, y)
            r, s = turn(q, p)
            return s / r
