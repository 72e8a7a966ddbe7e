from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="mm", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 286), Topology("thread", 128)))
class SWAP:
    @func
    def mm(a: Tensor[(26 * 32, 256), "bf16"], b: Tensor[(256, 11 * 64), "bf16"]) -> Tensor[(26 * 32, 11 * 64), "bf16"]:
        with Mesh(("cta",), layout=(11, 26), names=("x", "y")) as g:
            c = tf.zeros(Tensor[(26 * 32, 11 * 64), "bf16"])
            r = g.y * 32
            q = g.x * 64
            acc = tf.zeros(Tensor[(32, 64), "f32", "rmem"])
            for k in range(0, 256, 32):
                s = tf.reshard(a[r:r + 32, k:k + 32], (32, 32), "smem")
                t = tf.reshard(b[k:k + 32, q:q + 64], (32, 64), "smem")
                acc = acc + tf.matmul(s, t, out_dtype="f32")
            return tf.insert_slice(c, tf.reshard(tf.cast(acc, "bf16"), (32, 64), "gmem"), (r, q))
