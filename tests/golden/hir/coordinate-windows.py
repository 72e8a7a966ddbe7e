from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as c:
            with Mesh(("thread",), layout=(128,), names=("t",)) as th:
                u = x + y
                w = u * z
            r = w + w
            return r + x[c.b:c.b+1, :] + x[c.b*2:c.b*2+2, 0:32][1:2, 2]
