from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as c:
            a = tf.exp(x)
            for k in tf.tile(64, 8):
                with Mesh(("thread",), layout=(128,), names=("t",)) as th:
                    a = a + tf.reduce(x[k, :], axes=(0,), kind="sum")
                with Mesh(("thread",), layout=(128,), names=("t",)) as th:
                    a = a + tf.reduce(x[k, :], axes=(0,), kind="sum")
            for k in tf.tile(64, 16):
                a = a + tf.reduce(y[k, :], axes=(0,), kind="max")
            return a
