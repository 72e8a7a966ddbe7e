from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


N = DimVar("N", 1, 4096)


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(N, 128), "f32"]) -> Tensor[(N, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(128,), names=("t",)) as th:
                return x + x
