from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(128, 128), "f32"]) -> Tensor[(128, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                a = tf.arange(Tensor[(128,), "i32", (128,), "rmem"])
                b = tf.arange(Tensor[(128,), "i32", (128,), "smem"], start=4, step=2)
                c = tf.arange(Tensor[(128,), "i64"])
                d = tf.reshard(a, (128,), "gmem") + tf.reshard(b, (128,), "gmem")
                return tf.index_select(x, c, dim=0) + tf.reshape(tf.cast(d, "f32"), (1, 128))[0:1, 0:128]
