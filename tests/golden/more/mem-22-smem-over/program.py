from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 128)))
class OVER:
    @func
    def f(a: Tensor[(256, 512), "bf16"], b: Tensor[(512, 128), "bf16"]) -> Tensor[(256, 128), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("m",)) as g:
            c = tf.zeros(Tensor[(256, 128), "f32"])
            o = g.m * 128
            s = tf.reshard(a[o:o + 128, :], (128, 512), "smem")
            t = tf.reshard(b, (512, 128), "smem")
            return tf.insert_slice(c, tf.reshard(tf.matmul(s, t, out_dtype="f32"), (128, 128), "gmem"), (o, 0))
