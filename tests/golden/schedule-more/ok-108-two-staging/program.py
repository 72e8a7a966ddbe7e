from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

M, K, N = 512, 256, 512
TM, TN, TK = 64, 128, 64
WAYS = N // TN


@module(entry="mm", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 12), Topology("thread", 256)))
class Halves:
    @func
    def mm(x: Tensor[(M, K), "bf16"], w: Tensor[(K, N), "bf16"]) -> tuple[Tensor[(M, N), "bf16"], Tensor[(M, N), "f32"]]:
        with Mesh(("cta",), layout=(12,), names=("who",)) as pool:
            with Mesh(("thread",), layout=(2, 128), names=("role", "t")) as team:
                y = tf.zeros(Tensor[(M, N), "bf16"])
                z = tf.zeros(Tensor[(M, N), "f32"])
                for job in range(pool.who, (M // TM) * WAYS, 12):
                    r0 = (job // WAYS) * TM
                    c0 = (job % WAYS) * TN
                    with Mesh(team[1:2, :], layout=(4, 8, 4), names=("warp", "row", "col")) as math:
                        tot = tf.zeros(Tensor[(TM, TN), "f32", ((4 @ math.warp, 2, 8 @ math.row, TN // 8, 4 @ math.col, 2), (16, 8, 1, 512, 128, 64)), "rmem"])
                    for kk in tf.tile(K, TK):
                        with team[0, :32] as feeder:
                            xs_ring = tf.empty(Tensor[(TM, TK), "bf16", Layout(((8, 8), (4, 16)), ((512, 64), (16, 1))) | Swizzle(3, 4, 3), "smem"], buffers=3)
                            xs = tf.schedule((x[r0:r0 + TM, kk], xs_ring), op=T.copy_async_tensor())
                            ws_ring = tf.empty(Tensor[(TK, TN), "bf16", Layout(((4, 2, 8), (2, 64)), ((1024, 512, 64), (4096, 1))) | Swizzle(3, 4, 3), "smem"], buffers=3)
                            ws = tf.schedule((w[kk, c0:c0 + TN], ws_ring), op=T.copy_async_tensor())
                        with Mesh(team[1:2, :], layout=(4, 8, 4), names=("warp", "row", "col")) as math:
                            tot = tf.schedule((tot, xs, ws), op=T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=TN, dtype="bf16", form=T.cuda.sm90.Form.SS, a_major=T.cuda.sm90.Major.K)))
                    with Mesh(team[1:2, :], layout=(4, 8, 4), names=("warp", "row", "col")) as math:
                        low = tf.cast(tot, dtype="bf16")
                        side = tf.empty(Tensor[(TM, TN), "bf16", Layout((64, (2, 64)), (64, (4096, 1))) | Swizzle(3, 4, 3), "smem"])
                        kept = tf.schedule((low, side), op=T.copy())
                        wide = tf.empty(Tensor[(TM, TN), "f32", Layout((64, (4, 32)), (32, (2048, 1))) | Swizzle(3, 4, 3), "smem"])
                        kept_wide = tf.schedule((tot, wide), op=T.copy())
                    with team[0, :32] as feeder:
                        dst = tf.empty(Tensor[(TM, TN), "bf16", (TM, TN)])
                        res = tf.schedule((kept, dst), op=T.copy_async_tensor())
                        y = tf.insert_slice(y, res, (r0, c0))
                        dst_wide = tf.empty(Tensor[(TM, TN), "f32", (TM, TN)])
                        res_wide = tf.schedule((kept_wide, dst_wide), op=T.copy_async_tensor())
                        z = tf.insert_slice(z, res_wide, (r0, c0))
                return y, z
