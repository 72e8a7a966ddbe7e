from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as c:
            q = tf.exp(x)
            a = tf.zeros(Tensor[(64, 32), "f32"])
            for i in range(5):
                a = a + q
            q = q + a
            for j in range(2):
                q2 = q
                for i in range(3):
                    q2 = q2 + q
                q = q2
            return q
