from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 3), Topology("thread", 128)))
class Sites:
    @func
    def run(a: Tensor[(256, 128), "f16"], b: Tensor[(128, 256), "f16"]) -> Tensor[(256, 256), "f16"]:
        with Mesh(("cta",), layout=(3,), names=("p",)) as cta:
            out = tf.zeros(Tensor[(256, 256), "f16"])
            for mt in range(4):
                for nt in range((cta.p - mt * 4) % 3, 4, 3):
                    m = mt * 64
                    n = nt * 64
                    acc = tf.zeros(Tensor[(64, 64), "f32", "rmem"])
                    for k in tf.tile(128, 32):
                        at = tf.reshard(a[m:m + 64, k], (64, 32), "smem")
                        bt = tf.reshard(b[k, n:n + 64], (32, 64), "smem")
                        acc = acc + tf.reshard(tf.matmul(at, bt, out_dtype="f32"), (64, 64), "rmem")
                    out = tf.insert_slice(out, tf.reshard(tf.cast(acc, "f16"), (64, 64), "gmem"), (m, n))
            return out
