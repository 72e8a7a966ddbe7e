from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

G, NN = 3, 8


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 12), Topology("thread", 64)))
class UNKNOWN:
    @func
    def go(a: Tensor[(6 * 32, 64), "bf16"], b: Tensor[(64, NN * 32), "bf16"]) -> Tensor[(6 * 32, NN * 32), "f32"]:
        with Mesh(("cta",), layout=(12,), names=("c",)) as g:
            y = tf.zeros(Tensor[(6 * 32, NN * 32), "f32"])
            for t in range(g.c, 48, 12):
                r = ((t // (G * NN)) * G + t % G) * 32
                c = ((t // G) % NN) * 32
                acc = tf.zeros(Tensor[(32, 32), "f32", "rmem"])
                for k in tf.tile(64, 64):
                    p = tf.matmul(tf.reshard(a[r:r + 32, k], (32, 64), "smem"), tf.reshard(b[k, c:c + 32], (64, 32), "smem"), out_dtype="f32")
                    acc = acc + p
                y = tf.insert_slice(y, tf.reshard(acc, (32, 32), "gmem"), (r, c))
            return y
