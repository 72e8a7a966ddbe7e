from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as mesh:
            thread = x + 2.0
            v1 = thread * 2.0
            with Mesh(("thread",), layout=(4, 32), names=("w","l")) as lanes:
                q = v1 + 1.0
                for k in tf.tile(8, 64, 8):
                    q = q + tf.reduce(q[k, :], axes=(0,), kind="sum") * tf.reduce(x[k * 1, 4:8], axes=(0, 1), kind="sum")
                    q = q + tf.reduce(z[k - 8, :], axes=(0,), kind="sum")
                with lanes[0:2, :] as half:
                    q = q + 1.0
                with Mesh(lanes[2:4, :], layout=(64,), names=("z",)) as half:
                    q = q + 1.0
                with lanes[1, :] as half:
                    q = q + 1.0
            v3 = q + q
            return v3 - v3
