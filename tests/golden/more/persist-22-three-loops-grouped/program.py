from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

GROUPS, COLS, ROWS, CTAS = 3, 10, 4, 16


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", CTAS), Topology("thread", 128)))
class ORDER:
    @func
    def go(a: Tensor[(GROUPS * ROWS * 64, 128), "bf16"], b: Tensor[(128, COLS * 64), "bf16"]) -> Tensor[(GROUPS * ROWS * 64, COLS * 64), "bf16"]:
        with Mesh(("cta",), layout=(CTAS,), names=("c",)) as m:
            out = tf.zeros(Tensor[(GROUPS * ROWS * 64, COLS * 64), "bf16"])
            for g in range(GROUPS):
                for bn in range(COLS):
                    for mi in range((m.c - (g * COLS + bn) * ROWS) % CTAS, ROWS, CTAS):
                        r = (g * ROWS + mi) * 64
                        c = bn * 64
                        at = tf.reshard(a[r:r + 64, :], (64, 128), "smem")
                        bt = tf.reshard(b[:, c:c + 64], (128, 64), "smem")
                        t = tf.cast(tf.matmul(at, bt, out_dtype="f32"), "bf16")
                        out = tf.insert_slice(out, tf.reshard(t, (64, 64), "gmem"), (r, c))
            return out
