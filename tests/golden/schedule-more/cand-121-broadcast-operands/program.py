from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"], p: Tensor[(1, 128), "f32"], q: Tensor[(32, 1), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                v = tf.reshard(x, ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), "rmem")
                r = tf.reshard(p, ((1, 32 @ th.l, 4), (4, 0, 1)), "rmem")
                c = tf.reshard(q, ((4 @ th.w, 8, 1), (0, 1, 0)), "rmem")
                a = v * r
                b = c + v
                y = a - b
                return tf.reshard(y, (32, 128), "gmem")
