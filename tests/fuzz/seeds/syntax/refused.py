"""A GEMM that asks for too much: what a refusal looks like.

The tiles were doubled in every direction without a look at the machine. Shared memory and the register file of one CTA are too
small for them: the editor says so at the places that ask for it, with the limit and whose limit it is. `scaled` holds a plain mistake: the
two operands do not have the same type.
"""

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

ROWS, COLS, DEPTH = 4096, 4096, 4096
TILE_M, TILE_N, TILE_K = 256, 512, 256
TILES_M, TILES_N = ROWS // TILE_M, COLS // TILE_N


@module(
    entry="gemm",
    target=CudaTarget("nvidia.h200_sxm"),
    topologies=(Topology("cta", TILES_M * TILES_N), Topology("thread", 384)),
)
class Refused:
    @func
    def gemm(a: Tensor[(ROWS, DEPTH), "bf16"], b: Tensor[(DEPTH, COLS), "bf16"]) -> Tensor[(ROWS, COLS), "bf16"]:
        with Mesh(("cta",), layout=(TILES_M, TILES_N), names=("row", "col")) as cta:
            c = tf.empty(Tensor[(ROWS, COLS), "bf16"])
            m = cta.row * TILE_M
            n = cta.col * TILE_N
            acc = tf.zeros(Tensor[(TILE_M, TILE_N), "f32", "rmem"])
            for k in tf.tile(DEPTH, TILE_K):
                a_tile = tf.reshard(a[m:m + TILE_M, k], (TILE_M, TILE_K), "smem")
                b_tile = tf.reshard(b[k, n:n + TILE_N], (TILE_K, TILE_N), "smem")
                acc = acc + tf.matmul(a_tile, b_tile, out_dtype="f32")
            c_tile = tf.reshard(tf.cast(acc, "bf16"), (TILE_M, TILE_N), "gmem")
            return tf.insert_slice(c, c_tile, (m, n))

    @func
    def scaled(c: Tensor[(ROWS, COLS), "bf16"], scale: Tensor[(COLS,), "f32"]) -> Tensor[(ROWS, COLS), "bf16"]:
        return c * scale
