from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

M, K, N = 256, 256, 256


@module(entry="mm", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 256)))
class Biased:
    @func
    def mm(x: Tensor[(M, K), "bf16"], w: Tensor[(K, N), "bf16"], w2: Tensor[(K, N), "bf16"]) -> Tensor[(M, N), "bf16"]:
        with Mesh(("cta",), layout=(4, 2), names=("r", "c")) as grid:
            with Mesh(("thread",), layout=(2, 128), names=("role", "t")) as team:
                y = tf.zeros(Tensor[(M, N), "bf16"])
                r0 = grid.r * 64
                c0 = grid.c * 128
                with Mesh(team[1:2, :], layout=(4, 8, 4), names=("warp", "row", "col")) as math:
                    gate = tf.zeros(Tensor[(64, 128), "f32", ((4 @ math.warp, 2, 8 @ math.row, 16, 4 @ math.col, 2), (16, 8, 1, 512, 128, 64)), "rmem"])
                    up = tf.zeros(Tensor[(64, 128), "f32", ((4 @ math.warp, 2, 8 @ math.row, 16, 4 @ math.col, 2), (16, 8, 1, 512, 128, 64)), "rmem"])
                for kk in tf.tile(K, 64):
                    with team[0, :32] as feeder:
                        xs_ring = tf.empty(Tensor[(64, 64), "bf16", Layout(((8, 8), (4, 16)), ((512, 64), (16, 1))) | Swizzle(3, 4, 3), "smem"], buffers=2)
                        xs = tf.schedule((x[r0:r0 + 64, kk], xs_ring), op=T.copy_async_tensor())
                        ws_ring = tf.empty(Tensor[(64, 128), "bf16", Layout(((4, 2, 8), (2, 64)), ((1024, 512, 64), (4096, 1))) | Swizzle(3, 4, 3), "smem"], buffers=2)
                        ws = tf.schedule((w[kk, c0:c0 + 128], ws_ring), op=T.copy_async_tensor())
                        us_ring = tf.empty(Tensor[(64, 128), "bf16", Layout(((4, 2, 8), (2, 64)), ((1024, 512, 64), (4096, 1))) | Swizzle(3, 4, 3), "smem"], buffers=2)
                        us = tf.schedule((w2[kk, c0:c0 + 128], us_ring), op=T.copy_async_tensor())
                    with Mesh(team[1:2, :], layout=(4, 8, 4), names=("warp", "row", "col")) as math:
                        atom = T.cuda.sm90.Wgmma(n=128, dtype="bf16", form=T.cuda.sm90.Form.SS, a_major=T.cuda.sm90.Major.K)
                        gate = tf.schedule((gate, xs, ws), op=T.tiled_mma(atom=atom))
                        up = tf.schedule((up, xs, us), op=T.tiled_mma(atom=atom))
                with Mesh(team[1:2, :], layout=(4, 8, 4), names=("warp", "row", "col")) as math:
                    act = tf.relu(gate) * up + 1.0
                    low = tf.cast(act, dtype="bf16")
                    dst = tf.empty(Tensor[(64, 128), "bf16", (64, 128)])
                    res = tf.schedule((low, dst), op=T.copy())
                    y = tf.insert_slice(y, res, (r0, c0))
                return y
