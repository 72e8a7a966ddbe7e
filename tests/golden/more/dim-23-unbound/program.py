from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

L = DimVar("L", lo=16, hi=8192)


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class LEFT:
    @func
    def f(x: Tensor[(L, 8), "f32"]) -> Tensor[(L, 8), "f32"]:
        return x * 2.0
