from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as c:
            x = x + y
            q = x
            for i in range(5):
                q = q + x
            for i in range(0, 64, 8):
                with Mesh(("thread",), layout=(128,), names=("t",)) as th:
                    w = x[i:i+8, :]
                    w = tf.exp(w)
                    r = tf.reduce(w, axes=(0,), kind="sum")
                    q = q + r
            return q
