from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                a = tf.reshard(x, ((32, 128), (136, 1)), "smem")
                b = tf.reshard(a, ((32, 128), (128, 1)), "gmem")
                c = tf.reshard(b, ((32, 128), (1, 32)), "smem")
                d = tf.reshard(c, ((32, 128), (1, 36)), "smem")
                return tf.reshard(d, (32, 128), "gmem")
