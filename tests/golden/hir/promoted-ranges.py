from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as mesh:
            w = tf.zeros(Tensor[(64, 32), "f32"])
            for k in tf.tile(64, 8):
                for j in tf.tile(32, 4):
                    r = x[k, j]
                    w = tf.insert_slice(w, r, (k, j))
            for i in range(0, 64, 8):
                for j in range(2):
                    r = x[i:i+8, :]
                    w = tf.insert_slice(w, r, (i, 0))
            for i in range(0, 64, 8):
                with Mesh(("thread",), layout=(128,), names=("t",)) as th:
                    r = tf.exp(x[i:i+8, :])
                w = tf.insert_slice(w, r, (i, 0))
            for i in range(0, 64, 8):
                for j in range(0, 4):
                    r = x[i:i+8, :]
                    w = tf.insert_slice(w, r, (i, j))
            return w
