"""The same GEMM, persistent, with 16 tile rows walked together.

Tile order is a choice of the author. Here all tiles are tasks of one loop: the walk goes down 16 tile rows before it moves one column to
the right, so that the CTAs that run at the same time share few columns of B. Nothing stands between two uses of B any more, so the
warning of persistent.py is gone, and every CTA takes 33 tasks, so that no CTA is counted with rows it does not have.
"""

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

ROWS, COLS, DEPTH = 8192, 17408, 5120
TILE_M, TILE_N, TILE_K = 128, 256, 64
TILES_M, TILES_N = ROWS // TILE_M, COLS // TILE_N
WORKERS = 132
GROUP = 16  # tile rows walked together
GROUP_TILES = GROUP * TILES_N


@module(
    entry="gemm",
    target=CudaTarget("nvidia.h200_sxm"),
    topologies=(Topology("cta", WORKERS), Topology("thread", 384)),
)
class Grouped:
    @func
    def gemm(a: Tensor[(ROWS, DEPTH), "bf16"], b: Tensor[(DEPTH, COLS), "bf16"]) -> Tensor[(ROWS, COLS), "bf16"]:
        with Mesh(("cta",), layout=(WORKERS,), names=("worker",)) as cta:
            c = tf.zeros(Tensor[(ROWS, COLS), "bf16"])
            for task in range(cta.worker, TILES_M * TILES_N, WORKERS):
                row = (task // GROUP_TILES) * GROUP + task % GROUP
                col = (task // GROUP) % TILES_N
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
