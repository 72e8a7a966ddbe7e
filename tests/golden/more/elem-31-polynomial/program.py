from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="cubic", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class CUBIC:
    @func
    def cubic(x: Tensor[(333, 21), "f32"]) -> Tensor[(333, 21), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("q",)) as g:
            return ((0.5 * x + 1.25) * x - 3.0) * x + 2.0
