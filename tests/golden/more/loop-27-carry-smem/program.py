from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class EXCH:
    @func
    def f(x: Tensor[(512, 256), "bf16"], w: Tensor[(256, 256), "bf16"]) -> Tensor[(512, 256), "bf16"]:
        with Mesh(("cta",), layout=(8,), names=("b",)) as g:
            y = tf.zeros(Tensor[(512, 256), "bf16"])
            o = g.b * 64
            h = tf.reshard(x[o:o + 64, :], (64, 256), "smem")
            for step in range(5):
                ws = tf.reshard(w, (256, 256), "smem")
                h = tf.cast(tf.relu(tf.matmul(h, ws, out_dtype="f32")), "bf16")
                h = tf.reshard(h, (64, 256), "smem")
            return tf.insert_slice(y, tf.reshard(h, (64, 256), "gmem"), (o, 0))
