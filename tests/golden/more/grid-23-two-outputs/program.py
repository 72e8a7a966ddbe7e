from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="pair", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 32), Topology("thread", 128)))
class PAIR:
    @func
    def pair(a: Tensor[(256, 96), "bf16"], b: Tensor[(96, 512), "bf16"], c: Tensor[(96, 512), "bf16"]):
        with Mesh(("cta",), layout=(4, 8), names=("i", "j")) as g:
            plus = tf.zeros(Tensor[(256, 512), "f32"])
            minus = tf.zeros(Tensor[(256, 512), "f32"])
            i = g.i * 64
            j = g.j * 64
            at = tf.reshard(a[i:i + 64, :], (64, 96), "smem")
            p = tf.matmul(at, tf.reshard(b[:, j:j + 64], (96, 64), "smem"), out_dtype="f32")
            q = tf.matmul(at, tf.reshard(c[:, j:j + 64], (96, 64), "smem"), out_dtype="f32")
            plus = tf.insert_slice(plus, tf.reshard(p + q, (64, 64), "gmem"), (i, j))
            minus = tf.insert_slice(minus, tf.reshard(p - q, (64, 64), "gmem"), (i, j))
            return plus, minus
