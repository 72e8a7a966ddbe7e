from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget



@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                v = tf.reshard(x, ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), "rmem")
                s = tf.reshard(v, (32, 128), "smem")
                t = tf.reshape(s, (64, 64))
                u = tf.exp(t)
                w = tf.reshape(u, (32, 128))
                return tf.reshard(w, (32, 128), "gmem")
