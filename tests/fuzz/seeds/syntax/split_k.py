"""A product with a long K and few tiles: K is split over the CTAs.

Two tiles would keep two of 132 SMs busy. Here 64 CTAs share each tile: every one of them sums its own piece of K and stores a partial
tile, and a second function adds the partial tiles up, one row per CTA. The price stands beside the stores: 64 partial tiles are
written and read again.
"""

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

ROWS, COLS, DEPTH = 128, 256, 65536
TILE_N, TILE_K = 128, 64
TILES, PARTS = COLS // TILE_N, 64
PIECE = DEPTH // PARTS


@module(
    entry="gemm",
    target=CudaTarget("nvidia.h200_sxm"),
    topologies=(Topology("cta", TILES * PARTS), Topology("thread", 128)),
)
class SplitK:
    @func
    def partial_tiles(a: Tensor[(ROWS, DEPTH), "bf16"], b: Tensor[(DEPTH, COLS), "bf16"]) -> Tensor[(PARTS, ROWS, COLS), "f32"]:
        with Mesh(("cta",), layout=(TILES, PARTS), names=("tile", "part")) as cta:
            partial = tf.empty(Tensor[(PARTS, ROWS, COLS), "f32"])
            n = cta.tile * TILE_N
            acc = tf.zeros(Tensor[(ROWS, TILE_N), "f32", "rmem"])
            for step in range(PIECE // TILE_K):
                k = cta.part * PIECE + step * TILE_K
                a_tile = tf.reshard(a[:, k:k + TILE_K], (ROWS, TILE_K), "smem")
                b_tile = tf.reshard(b[k:k + TILE_K, n:n + TILE_N], (TILE_K, TILE_N), "smem")
                acc = acc + tf.matmul(a_tile, b_tile, out_dtype="f32")
            tile = tf.reshape(tf.reshard(acc, (ROWS, TILE_N), "gmem"), (1, ROWS, TILE_N))
            return tf.insert_slice(partial, tile, (cta.part, 0, n))

    @func
    def added(partial: Tensor[(PARTS, ROWS, COLS), "f32"]) -> Tensor[(ROWS, COLS), "f32"]:
        with Mesh(("cta",), layout=(ROWS,), names=("row",)) as cta:
            c = tf.empty(Tensor[(ROWS, COLS), "f32"])
            parts = tf.reshard(partial[:, cta.row:cta.row + 1, :], (PARTS, 1, COLS), "rmem")
            row = tf.reduce(parts, axes=(0,), kind="sum", keepdim=False)
            return tf.insert_slice(c, tf.reshard(row, (1, COLS), "gmem"), (cta.row, 0))

    @func
    def gemm(a: Tensor[(ROWS, DEPTH), "bf16"], b: Tensor[(DEPTH, COLS), "bf16"]) -> Tensor[(ROWS, COLS), "f32"]:
        return added(partial_tiles(a, b))
