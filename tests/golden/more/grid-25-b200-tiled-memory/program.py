from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="mm", target=CudaTarget("nvidia.b200_sxm"), topologies=(Topology("cta", 160), Topology("thread", 256)))
class B200MM:
    @func
    def mm(a: Tensor[(2048, 1024), "fp8e4m3"], b: Tensor[(1024, 2560), "fp8e4m3"]) -> Tensor[(2048, 2560), "f16"]:
        with Mesh(("cta",), layout=(16, 10), names=("i", "j")) as g:
            c = tf.zeros(Tensor[(2048, 2560), "f16"])
            m = g.i * 128
            n = g.j * 256
            acc = tf.zeros(Tensor[(128, 256), "f32", "rmem"])
            for k in tf.tile(1024, 128):
                s = tf.reshard(a[m:m + 128, k], (128, 128), "smem")
                t = tf.reshard(b[k, n:n + 256], (128, 256), "smem")
                acc = acc + tf.matmul(s, t, out_dtype="f32")
            return tf.insert_slice(c, tf.reshard(tf.cast(acc, "f16"), (128, 256), "gmem"), (m, n))
