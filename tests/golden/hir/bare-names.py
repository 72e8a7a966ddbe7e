from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class BareNames:
    @func
    def run(x: Tensor[(64, 64), "bf16"]) -> Tensor[(64, 64), "bf16"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                z = tf.zeros(Tensor[(64, 64), f32, (64, 64), smem])
                a = tf.reshard(x, (64, 64), smem)
                b = tf.matmul(a, a, out_dtype=f32)
                c = tf.cast(b, dtype=bf16)
                d = tf.empty(Tensor[(64, 64), f32, ((4 @ th.w, 16, 32 @ th.l, 2), (0, 2, 0, 1)), rmem])
                v = tf.reshard(x, ((4 @ th.w, 16, 32 @ th.l, 2), (0, 2, 0, 1)), "rmem")
                e = tf.schedule((v, d), op=T.cast(dtype=f32))
                m = e > 0.0
                n = tf.cast(m, dtype=bool)
                f = tf.where(n, e, -e)
                u = tf.arange(Tensor[(64,), i32])
                return tf.reshard(tf.cast(f, bf16), (64, 64), "gmem") + tf.reshard(tf.cast(z, bf16), (64, 64), "gmem") + tf.index_select(tf.reshard(c, (64, 64), gmem), u, dim=0)
