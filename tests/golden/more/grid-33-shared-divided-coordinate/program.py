from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

H, KV, S, D = 12, 4, 64, 32


@module(entry="scores", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", H), Topology("thread", 128)))
class GQA:
    @func
    def scores(q: Tensor[(H * S, D), "bf16"], k: Tensor[(D, KV * S), "bf16"]) -> Tensor[(H * S, S), "f32"]:
        with Mesh(("cta",), layout=(H,), names=("h",)) as g:
            out = tf.zeros(Tensor[(H * S, S), "f32"])
            qo = g.h * S
            ko = (g.h // 3) * S
            s = tf.matmul(tf.reshard(q[qo:qo + S, :], (S, D), "smem"), tf.reshard(k[:, ko:ko + S], (D, S), "smem"), out_dtype="f32")
            return tf.insert_slice(out, tf.reshard(s, (S, S), "gmem"), (qo, 0))
