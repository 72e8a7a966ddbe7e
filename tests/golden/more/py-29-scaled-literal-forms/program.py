from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

EPS = 1e-6
NEG = -2.5
SCALE = 1 / 8


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class LIT:
    @func
    def f(x: Tensor[(9, 9), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            return (x * SCALE + EPS) / NEG - 1.5e3
