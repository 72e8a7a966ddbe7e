"""The product of grid.py in bands of 16 row tiles: one flat walk, decoded by // and %."""

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

M, K, N = 8192, 5120, 17408
BM, BN, BK = 128, 256, 64
GM, GN = M // BM, N // BN
CTAS = 132
GROUP = 16
BAND = GROUP * GN


@module(entry="gemm", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", CTAS), Topology("thread", 384)))
class GROUPED:
    @func
    def gemm(a: Tensor[(M, K), "bf16"],
             b: Tensor[(K, N), "bf16"]) -> Tensor[(M, N), "bf16"]:
        with Mesh(("cta",), layout=(CTAS,), names=("p",)) as cta:
            out = tf.zeros(Tensor[(M, N), "bf16"])
            for task in range(cta.p, GM * GN, CTAS):
                m = ((task // BAND) * GROUP + task % GROUP) * BM
                n = ((task // GROUP) % GN) * BN
                acc = tf.zeros(Tensor[(BM, BN), "f32", "rmem"])
                for k in tf.tile(K, BK):
                    at = tf.reshard(a[m:m + BM, k], (BM, BK), "smem")
                    bt = tf.reshard(b[k, n:n + BN], (BK, BN), "smem")
                    part = tf.matmul(at, bt, out_dtype="f32")
                    acc = acc + tf.reshard(part, (BM, BN), "rmem")
                tile = tf.reshard(tf.cast(acc, "bf16"), (BM, BN), "gmem")
                out = tf.insert_slice(out, tile, (m, n))
            return out
