from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                s = tf.reshard(x, (32, 128), "smem")
                g = tf.reshard(s, (32, 128), "gmem")
                r = tf.reshard(g, (32, 128), "rmem")
                s2 = tf.reshard(r, (32, 128), "smem")
                v = tf.reshard(s2, ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), "rmem")
                r2 = tf.reshard(v, (32, 128), "rmem")
                return tf.reshard(r2, (32, 128), "gmem")
