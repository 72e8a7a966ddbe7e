"""One CTA per output tile: the plain way to cut a GEMM.

C[8192, 17408] = A[8192, 5120] * B[5120, 17408], cut into 64 x 68 tiles of 128 x 256. Every tile is a CTA of its own and walks K in
steps of 64 through shared memory. What to read beside the code: the launch needs 33 waves on 132 SMs, and the fill of `c` costs
every CTA more time than its whole K loop, because each of them is stated to clear the complete output.
"""

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

ROWS, COLS, DEPTH = 8192, 17408, 5120
TILE_M, TILE_N, TILE_K = 128, 256, 64
TILES_M, TILES_N = ROWS // TILE_M, COLS // TILE_N


@module(
    entry="gemm",
    target=CudaTarget("nvidia.h200_sxm"),
    topologies=(Topology("cta", TILES_M * TILES_N), Topology("thread", 384)),
)
class Grid:
    @func
    def gemm(a: Tensor[(ROWS, DEPTH), "bf16"], b: Tensor[(DEPTH, COLS), "bf16"]) -> Tensor[(ROWS, COLS), "bf16"]:
        with Mesh(("cta",), layout=(TILES_M, TILES_N), names=("row", "col")) as cta:
            c = tf.zeros(Tensor[(ROWS, COLS), "bf16"])
            m = cta.row * TILE_M
            n = cta.col * TILE_N
            acc = tf.zeros(Tensor[(TILE_M, TILE_N), "f32", "rmem"])
            for k in tf.tile(DEPTH, TILE_K):
                a_tile = tf.reshard(a[m:m + TILE_M, k], (TILE_M, TILE_K), "smem")
                b_tile = tf.reshard(b[k, n:n + TILE_N], (TILE_K, TILE_N), "smem")
                product = tf.matmul(a_tile, b_tile, out_dtype="f32")
                acc = acc + tf.reshard(product, (TILE_M, TILE_N), "rmem")
            c_tile = tf.reshard(tf.cast(acc, "bf16"), (TILE_M, TILE_N), "gmem")
            return tf.insert_slice(c, c_tile, (m, n))
