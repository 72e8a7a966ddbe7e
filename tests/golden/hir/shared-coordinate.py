from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as c:
            a = tf.zeros(Tensor[(64, 32), "f32"])
            for i in range(4):
                o = c.b * 4
                a = a + x[o:o+1, :]
                with Mesh(("thread",), layout=(128,), names=("t",)) as th:
                    r = th.t + c.b
                    a = a + x[r:r+1, :]
            o = c.b + 4
            a = a + x[o:o+1, :]
            return a
