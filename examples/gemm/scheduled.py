"""The GEMM with every choice made: what moves each tile, what multiplies it, which threads do it.

132 CTAs stay and take output tiles in bands of 16 rows, so that a wave shares its part of B. One warp feeds a ring of three stages by
tensor copies; two warpgroups multiply from shared memory by wgmma and keep 128x256 sums in registers; the result leaves through shared
memory. The layouts say where each element lies: the 128-byte swizzle that wgmma reads, the fragments it accumulates into.
"""

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

ROWS, COLS, DEPTH = 8192, 17408, 5120
TILE_M, TILE_N, TILE_K = 128, 256, 64
STAGES = 3
WORKERS = 132
BAND = 16
TILES_M, TILES_N = ROWS // TILE_M, COLS // TILE_N


@module(
    entry="gemm",
    target=CudaTarget("nvidia.h200_sxm"),
    topologies=(Topology("cta", WORKERS), Topology("thread", 384)),
)
class Scheduled:
    @func
    def gemm(a: Tensor[(ROWS, DEPTH), "bf16"], b: Tensor[(DEPTH, COLS), "bf16"]) -> Tensor[(ROWS, COLS), "bf16"]:
        with Mesh(("cta",), layout=(WORKERS,), names=("worker",)) as cta:
            with Mesh(("thread",), layout=(3, 128), names=("group", "lane")) as threads:
                wgmma = T.cuda.sm90.Wgmma(n=TILE_N, dtype="bf16", form=T.cuda.sm90.Form.SS, a_major=T.cuda.sm90.Major.K)
                c = tf.zeros(Tensor[(ROWS, COLS), "bf16"])
                for tile in range(cta.worker, TILES_M * TILES_N, WORKERS):
                    band = tile // (TILES_N * BAND)
                    col = (tile // BAND) % TILES_N
                    m = (band * BAND + tile % BAND) * TILE_M
                    n = col * TILE_N
                    with Mesh(threads[1:3, :], layout=(2, 4, 8, 4), names=("group", "warp", "row", "quad")) as math:
                        acc = tf.zeros(Tensor[(TILE_M, TILE_N), "f32", ((2 @ math.group, 4 @ math.warp, 2, 8 @ math.row, TILE_N // 8, 4 @ math.quad, 2), (64 * TILE_N, 16, 8, 1, 512, 128, 64)), "rmem"])
                    for k in tf.tile(DEPTH, TILE_K):
                        with threads[0, :32] as loader:
                            a_ring = tf.empty(Tensor[(TILE_M, TILE_K), "bf16", Layout(((2, 8, 8), (4, 16)), ((4096, 512, 64), (16, 1))) | Swizzle(3, 4, 3), "smem"], buffers=STAGES)
                            a_tile = tf.schedule((a[m:m + TILE_M, k], a_ring), op=T.copy_async_tensor())
                            b_ring = tf.empty(Tensor[(TILE_K, TILE_N), "bf16", Layout(((4, 2, 8), (4, 64)), ((1024, 512, 64), (4096, 1))) | Swizzle(3, 4, 3), "smem"], buffers=STAGES)
                            b_tile = tf.schedule((b[k, n:n + TILE_N], b_ring), op=T.copy_async_tensor())
                        with Mesh(threads[1:3, :], layout=(2, 4, 8, 4), names=("group", "warp", "row", "quad")) as math:
                            acc = tf.schedule((acc, a_tile, b_tile), op=T.tiled_mma(atom=wgmma), repeat=(2, 1, TILE_K // 16))
                    with Mesh(threads[1:3, :], layout=(2, 4, 8, 4), names=("group", "warp", "row", "quad")) as math:
                        half = tf.cast(acc, dtype="bf16")
                        staging = tf.empty(Tensor[(TILE_M, TILE_N), "bf16", Layout((128, (TILE_N // 64, 64)), (64, (8192, 1))) | Swizzle(3, 4, 3), "smem"])
                        staged = tf.schedule((half, staging), op=T.copy())
                    with threads[0, :32] as storer:
                        window = tf.empty(Tensor[(TILE_M, TILE_N), "bf16", (TILE_M, TILE_N)])
                        stored = tf.schedule((staged, window), op=T.copy_async_tensor())
                        c = tf.insert_slice(c, stored, (m, n))
                return c
