from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 132), Topology("thread", 128)))
class WIN:
    @func
    def f(a: Tensor[(132 * 32, 4096), "bf16"], b: Tensor[(4096, 8192), "bf16"]) -> Tensor[(132 * 32, 8192), "f32"]:
        with Mesh(("cta",), layout=(132,), names=("m",)) as g:
            c = tf.zeros(Tensor[(132 * 32, 8192), "f32"])
            o = g.m * 32
            for n in tf.tile(8192, 128):
                acc = tf.zeros(Tensor[(32, 128), "f32", "rmem"])
                for k in tf.tile(4096, 256):
                    s = tf.reshard(a[o:o + 32, k], (32, 256), "smem")
                    t = tf.reshard(b[k, n], (256, 128), "smem")
                    acc = acc + tf.matmul(s, t, out_dtype="f32")
                c = tf.insert_slice(c, tf.reshard(acc, (32, 128), "gmem"), (o, n))
            return c
