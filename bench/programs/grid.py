"""C[8192, 17408] = A[8192, 5120] B[5120, 17408], one CTA per 128 x 256 tile of C."""

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

M, K, N = 8192, 5120, 17408
BM, BN, BK = 128, 256, 64
GM, GN = M // BM, N // BN


@module(entry="gemm", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", GM * GN), Topology("thread", 384)))
class GRID:
    @func
    def gemm(a: Tensor[(M, K), "bf16"],
             b: Tensor[(K, N), "bf16"]) -> Tensor[(M, N), "bf16"]:
        with Mesh(("cta",), layout=(GM, GN), names=("bm", "bn")) as cta:
            out = tf.zeros(Tensor[(M, N), "bf16"])
            m = cta.bm * BM
            n = cta.bn * BN
            acc = tf.zeros(Tensor[(BM, BN), "f32", "rmem"])
            for k in tf.tile(K, BK):
                at = tf.reshard(a[m:m + BM, k], (BM, BK), "smem")
                bt = tf.reshard(b[k, n:n + BN], (BK, BN), "smem")
                part = tf.matmul(at, bt, out_dtype="f32")
                acc = acc + tf.reshard(part, (BM, BN), "rmem")
            tile = tf.reshard(tf.cast(acc, "bf16"), (BM, BN), "gmem")
            return tf.insert_slice(out, tile, (m, n))
