from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

P = DimVar("P", lo=1, hi=8)
Q = DimVar("Q", lo=1, hi=512)


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class HALF:
    @func
    def f(x: Tensor[(P, Q), "f32"]) -> Tensor[(P, Q), "f32"]:
        return x + x
