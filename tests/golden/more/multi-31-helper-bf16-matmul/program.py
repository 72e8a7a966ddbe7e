from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="mm", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 6), Topology("thread", 128)))
class HELPED:
    @func
    def step(p: Tensor[(32, 64), "bf16"], q: Tensor[(64, 32), "bf16"]) -> Tensor[(32, 32), "f32"]:
        return tf.matmul(p, q, out_dtype="f32")

    @func
    def mm(a: Tensor[(64, 256), "bf16"], b: Tensor[(256, 96), "bf16"]) -> Tensor[(64, 96), "f32"]:
        with Mesh(("cta",), layout=(2, 3), names=("i", "j")) as g:
            c = tf.zeros(Tensor[(64, 96), "f32"])
            m = g.i * 32
            n = g.j * 32
            acc = tf.zeros(Tensor[(32, 32), "f32"])
            for k in tf.tile(256, 64):
                acc = acc + step(a[m:m + 32, k], b[k, n:n + 32])
            return tf.insert_slice(c, acc, (m, n))
