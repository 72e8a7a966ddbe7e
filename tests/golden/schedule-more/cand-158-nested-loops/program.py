from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                y = tf.zeros(Tensor[(32, 128), "f32"])
                for a in range(2):
                    for b in range(2):
                        t = tf.reshard(x[a * 16:a * 16 + 16, b * 64:b * 64 + 64], (16, 64), "smem")
                        r = tf.reshard(t, ((4 @ th.w, 4, 32 @ th.l, 2), (0, 2, 0, 1)), "rmem")
                        for c in range(3):
                            r = tf.exp(r) + r
                        r = -r
                        y = tf.insert_slice(y, tf.reshard(r, (16, 64), "gmem"), (a * 16, b * 64))
                return y
