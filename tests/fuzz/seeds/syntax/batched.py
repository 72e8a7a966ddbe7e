"""Batched product with a bias and a ReLU: 24 independent GEMMs on a mesh of three axes.

The batch is an axis of the mesh like any other. The bias row is read once per CTA and added to the finished tile, so that the
epilogue costs no further trip to memory.
"""

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

BATCH, ROWS, COLS, DEPTH = 24, 512, 256, 512
TILE, TILE_K = 128, 64
TILES_M, TILES_N = ROWS // TILE, COLS // TILE


@module(
    entry="forward",
    target=CudaTarget("nvidia.h200_sxm"),
    topologies=(Topology("cta", BATCH * TILES_M * TILES_N), Topology("thread", 128)),
)
class Batched:
    @func
    def forward(
        x: Tensor[(BATCH, ROWS, DEPTH), "bf16"],
        w: Tensor[(BATCH, DEPTH, COLS), "bf16"],
        bias: Tensor[(1, COLS), "f32"],
    ) -> Tensor[(BATCH, ROWS, COLS), "bf16"]:
        with Mesh(("cta",), layout=(BATCH, TILES_M, TILES_N), names=("image", "row", "col")) as cta:
            y = tf.empty(Tensor[(BATCH, ROWS, COLS), "bf16"])
            m = cta.row * TILE
            n = cta.col * TILE
            acc = tf.zeros(Tensor[(TILE, TILE), "f32", "rmem"])
            for k in tf.tile(DEPTH, TILE_K):
                x_tile = tf.reshard(x[cta.image, m:m + TILE, k], (TILE, TILE_K), "smem")
                w_tile = tf.reshard(w[cta.image, k, n:n + TILE], (TILE_K, TILE), "smem")
                acc = acc + tf.matmul(x_tile, w_tile, out_dtype="f32")
            shifted = tf.relu(acc + tf.reshard(bias[:, n:n + TILE], (1, TILE), "rmem"))
            tile = tf.reshard(tf.cast(shifted, "bf16"), (TILE, TILE), "gmem")
            return tf.insert_slice(y, tf.reshape(tile, (1, TILE, TILE)), (cta.image, m, n))
