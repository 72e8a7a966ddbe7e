from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

M, N, K, T = 1024, 768, 320, 128


@module(entry="layer", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", (M // T) * (N // T)), Topology("thread", 256)))
class LAYER:
    @func
    def layer(x: Tensor[(M, K), "bf16"], w: Tensor[(K, N), "bf16"], bias: Tensor[(1, N), "f32"]) -> Tensor[(M, N), "bf16"]:
        with Mesh(("cta",), layout=(M // T, N // T), names=("m", "n")) as g:
            y = tf.zeros(Tensor[(M, N), "bf16"])
            mo, no = g.m * T, g.n * T
            acc = tf.zeros(Tensor[(T, T), "f32", "rmem"])
            for k in tf.tile(K, 64):
                xs = tf.reshard(x[mo:mo + T, k], (T, 64), "smem")
                ws = tf.reshard(w[k, no:no + T], (64, T), "smem")
                acc = acc + tf.reshard(tf.matmul(xs, ws, out_dtype="f32"), (T, T), "rmem")
            b = tf.reshard(bias[:, no:no + T], (1, T), "rmem")
            act = tf.gelu(acc * 0.125 + b)
            return tf.insert_slice(y, tf.reshard(tf.cast(act, "bf16"), (T, T), "gmem"), (mo, no))
