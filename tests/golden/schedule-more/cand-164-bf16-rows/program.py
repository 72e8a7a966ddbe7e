from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "bf16"]) -> Tensor[(32, 128), "bf16"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                a = tf.reshard(x[0:32, 0:128], (32, 128), "smem")
                b = tf.reshard(x[0:32, 4:100], (32, 96), "smem")
                c = tf.reshard(x[0:32, 2:100], (32, 98), "smem")
                d = tf.reshard(x[0:32, 1:100], (32, 99), "smem")
                g = tf.reshard(a, (32, 128), "gmem")
                o = tf.insert_slice(g, tf.reshard(b, (32, 96), "gmem"), (0, 0))
                o2 = tf.insert_slice(o, tf.reshard(c, (32, 98), "gmem"), (0, 0))
                return tf.insert_slice(o2, tf.reshard(d, (32, 99), "gmem"), (0, 0))
