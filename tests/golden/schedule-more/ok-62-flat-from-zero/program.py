from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

ROWS, COLS, DEPTH = 512, 384, 256
TM, TN, TK = 64, 128, 64
WORKERS, RING = 10, 5
WIDE = COLS // TN


@module(entry="mm", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", WORKERS), Topology("thread", 256)))
class Strided:
    @func
    def mm(x: Tensor[(ROWS, DEPTH), "bf16"],
           w: Tensor[(DEPTH, COLS), "bf16"]) -> Tensor[(ROWS, COLS), "bf16"]:
        with Mesh(("cta",), layout=(WORKERS,), names=("who",)) as pool:
            with Mesh(("thread",), layout=(2, 128), names=("role", "t")) as team:
                y = tf.zeros(Tensor[(ROWS, COLS), "bf16"])
                for job in range(0, (ROWS // TM) * WIDE, 1):
                    r0 = (job // WIDE) * TM
                    c0 = (job % WIDE) * TN
                    with Mesh(team[1:2, :], layout=(4, 8, 4), names=("warp", "row", "col")) as math:
                        tot = tf.zeros(Tensor[(TM, TN), "f32", ((4 @ math.warp, 2, 8 @ math.row, TN // 8, 4 @ math.col, 2), (16, 8, 1, 512, 128, 64)), "rmem"])
                    for kk in tf.tile(DEPTH, TK):
                        with team[0, :32] as feeder:
                            xs_ring = tf.empty(Tensor[(TM, TK), "bf16", Layout(((8, 8), (4, 16)), ((512, 64), (16, 1))) | Swizzle(3, 4, 3), "smem"], buffers=RING)
                            xs = tf.schedule((x[r0:r0 + TM, kk], xs_ring), op=T.copy_async_tensor())
                            ws_ring = tf.empty(Tensor[(TK, TN), "bf16", Layout(((4, 2, 8), (2, 64)), ((1024, 512, 64), (4096, 1))) | Swizzle(3, 4, 3), "smem"], buffers=RING)
                            ws = tf.schedule((w[kk, c0:c0 + TN], ws_ring), op=T.copy_async_tensor())
                        with Mesh(team[1:2, :], layout=(4, 8, 4), names=("warp", "row", "col")) as math:
                            tot = tf.schedule((tot, xs, ws), op=T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=TN, dtype="bf16", form=T.cuda.sm90.Form.SS, a_major=T.cuda.sm90.Major.K)))
                    with Mesh(team[1:2, :], layout=(4, 8, 4), names=("warp", "row", "col")) as math:
                        low = tf.cast(tot, dtype="bf16")
                        side = tf.empty(Tensor[(TM, TN), "bf16", Layout((64, (2, 64)), (64, (4096, 1))) | Swizzle(3, 4, 3), "smem"])
                        kept = tf.schedule((low, side), op=T.copy())
                    with team[0, :32] as feeder:
                        dst = tf.empty(Tensor[(TM, TN), "bf16", (TM, TN)])
                        res = tf.schedule((kept, dst), op=T.copy_async_tensor())
                        y = tf.insert_slice(y, res, (r0, c0))
                return y
