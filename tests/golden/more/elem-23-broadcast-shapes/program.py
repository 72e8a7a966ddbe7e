from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="bc", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class BC:
    @func
    def bc(x: Tensor[(6, 10, 14), "f16"], r: Tensor[(14,), "f16"], c: Tensor[(10, 1), "f16"], d: Tensor[(6, 1, 1), "f16"]):
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            return (x * r + c) / d
