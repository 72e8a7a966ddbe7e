from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                v = tf.reshard(x, ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), "rmem")
                a = tf.transpose(v, (1, 0))
                s = tf.reshard(x, (32, 128), "smem")
                t = tf.transpose(s, (1, 0))
                g = tf.transpose(x, (1, 0))
                b = tf.reshard(t, (128, 32), "gmem")
                c = tf.reshard(a, (128, 32), "gmem")
                return tf.reshard(tf.transpose(b + c + g, (1, 0)), (32, 128), "gmem")
