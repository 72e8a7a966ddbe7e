from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                a = tf.reshape(x, (4, 8, 128))
                s = tf.reshard(a, (4, 8, 128), "smem")
                t = tf.transpose(s, (2, 0, 1))
                return tf.reshape(tf.reshard(t, (128, 4, 8), "gmem"), (32, 128))
