from __future__ import annotations
from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class BareAnnotations:
    @func
    def run(x: Tensor[(64, 64), bf16]) -> Tensor[(64, 64), bf16]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                return x + x
