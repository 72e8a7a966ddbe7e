"""The same GEMM on 132 CTAs that stay: one wave instead of 33.

The CTAs take the tiles of one tile row in turn and start the next row where the last one ended, so that no CTA waits for a partial
row. The prediction falls with the waves. What remains is told beside the row loop: between two visits of the same part of B a whole
tile row passes, and that is more than the L2 cache holds.
"""

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

ROWS, COLS, DEPTH = 8192, 17408, 5120
TILE_M, TILE_N, TILE_K = 128, 256, 64
TILES_M, TILES_N = ROWS // TILE_M, COLS // TILE_N
WORKERS = 132


@module(
    entry="gemm",
    target=CudaTarget("nvidia.h200_sxm"),
    topologies=(Topology("cta", WORKERS), Topology("thread", 384)),
)
class Persistent:
    @func
    def gemm(a: Tensor[(ROWS, DEPTH), "bf16"], b: Tensor[(DEPTH, COLS), "bf16"]) -> Tensor[(ROWS, COLS), "bf16"]:
        with Mesh(("cta",), layout=(WORKERS,), names=("worker",)) as cta:
            c = tf.zeros(Tensor[(ROWS, COLS), "bf16"])
            for row in range(TILES_M):
                for col in range((cta.worker - row * TILES_N) % WORKERS, TILES_N, WORKERS):
                    m = row * TILE_M
                    n = col * TILE_N
                    acc = tf.zeros(Tensor[(TILE_M, TILE_N), "f32", "rmem"])
                    for k in tf.tile(DEPTH, TILE_K):
                        a_tile = tf.reshard(a[m:m + TILE_M, k], (TILE_M, TILE_K), "smem")
                        b_tile = tf.reshard(b[k, n:n + TILE_N], (TILE_K, TILE_N), "smem")
                        product = tf.matmul(a_tile, b_tile, out_dtype="f32")
                        acc = acc + tf.reshard(product, (TILE_M, TILE_N), "rmem")
                    c_tile = tf.reshard(tf.cast(acc, "bf16"), (TILE_M, TILE_N), "gmem")
                    c = tf.insert_slice(c, c_tile, (m, n))
            return c
