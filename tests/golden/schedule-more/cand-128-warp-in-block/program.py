from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                with th[1, :] as one:
                    s = tf.reshard(x, (32, 128), "smem")
                    g = tf.reshard(s, (32, 128), "gmem")
                with th[0:2, :] as two:
                    u = tf.reshard(g, (32, 128), "smem")
                    h = tf.reshard(u, (32, 128), "gmem")
                return h
