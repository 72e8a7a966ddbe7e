from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 128)))
class S3:
    @func
    def f(x: Tensor[(64, 64), "f32"]) -> Tensor[(64, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("b",)) as c:
            with Mesh(("thread",), layout=(4, 8, 4), names=("w", "r", "q")) as th:
                y = tf.zeros(Tensor[(64, 64), "f32"])
                o = c.b * 32
                t = tf.reshard(x[o:o + 32, :], (4 @ th.w, 8 @ th.r, 4 @ th.q, 16), "rmem")
                return tf.insert_slice(y, tf.reshard(tf.exp(t), (32, 64), "gmem"), (o, 0))
