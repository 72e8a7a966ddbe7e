from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 24), Topology("thread", 128)))
class SPLITK:
    @func
    def go(a: Tensor[(128, 1024), "bf16"], b: Tensor[(1024, 192), "bf16"]) -> Tensor[(4, 128, 192), "f32"]:
        with Mesh(("cta",), layout=(4, 2, 3), names=("s", "m", "n")) as g:
            out = tf.zeros(Tensor[(4, 128, 192), "f32"])
            mo = g.m * 64
            no = g.n * 64
            acc = tf.zeros(Tensor[(64, 64), "f32", "rmem"])
            for i in range(4):
                k = g.s * 256 + i * 64
                at = tf.reshard(a[mo:mo + 64, k:k + 64], (64, 64), "smem")
                bt = tf.reshard(b[k:k + 64, no:no + 64], (64, 64), "smem")
                acc = acc + tf.matmul(at, bt, out_dtype="f32")
            return tf.insert_slice(out, tf.reshape(tf.reshard(acc, (64, 64), "gmem"), (1, 64, 64)), (g.s, mo, no))
