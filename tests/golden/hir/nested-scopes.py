from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as c:
            with Mesh(("thread",), layout=(128,), names=("t",)) as th:
                u = tf.exp(x)
                with Mesh(("thread",), layout=(128,), names=("q",)) as th2:
                    u = tf.exp(u)
                    u = tf.abs(u)
                u = u + u
                with Mesh(("thread",), layout=(128,), names=("q",)) as th2:
                    u = tf.exp(u)
                    v = tf.abs(u)
                return u + v
