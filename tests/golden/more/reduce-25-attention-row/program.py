from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="attn", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 16),))
class ATTN:
    @func
    def attn(q: Tensor[(256, 64), "bf16"], k: Tensor[(512, 64), "bf16"], v: Tensor[(512, 64), "bf16"]) -> Tensor[(256, 64), "bf16"]:
        with Mesh(("cta",), layout=(16,), names=("b",)) as g:
            out = tf.zeros(Tensor[(256, 64), "bf16"])
            o = g.b * 16
            s = tf.matmul(q[o:o + 16, :], tf.transpose(k, (1, 0)), out_dtype="f32") * 0.125
            p = tf.softmax(s, axis=1)
            r = tf.matmul(tf.cast(p, "bf16"), v, out_dtype="f32")
            return tf.insert_slice(out, tf.cast(r, "bf16"), (o, 0))
