from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 16), Topology("thread", 384)))
class Sites:
    @func
    def run(a: Tensor[(512, 256), "bf16"], b: Tensor[(256, 512), "bf16"]) -> Tensor[(512, 512), "bf16"]:
        with Mesh(("cta",), layout=(4, 4), names=("bm", "bn")) as cta:
            out = tf.zeros(Tensor[(512, 512), "bf16"])
            m = cta.bm * 128
            n = cta.bn * 128
            acc = tf.zeros(Tensor[(128, 128), "f32", "rmem"])
            for k in tf.tile(256, 64):
                at = tf.reshard(a[m:m + 128, k], (128, 64), "smem")
                bt = tf.reshard(b[k, n:n + 128], (64, 128), "smem")
                part = tf.matmul(at, bt, out_dtype="f32")
                acc = acc + tf.reshard(part, (128, 128), "rmem")
            tile_out = tf.reshard(tf.cast(acc, "bf16"), (128, 128), "gmem")
            return tf.insert_slice(out, tile_out, (m, n))
