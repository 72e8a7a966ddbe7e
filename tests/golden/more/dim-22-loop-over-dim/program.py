from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

S = DimVar("S", lo=32, hi=4096)


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 64)))
class OPEN:
    @func
    def f(q: Tensor[(64, 32), "bf16"], k: Tensor[(S, 32), "bf16"]) -> Tensor[(64, 1), "f32"]:
        with Mesh(("cta",), layout=(8,), names=("b",)) as g:
            out = tf.zeros(Tensor[(64, 1), "f32"])
            o = g.b * 8
            qs = tf.reshard(q[o:o + 8, :], (8, 32), "smem")
            acc = tf.zeros(Tensor[(8, 1), "f32", "rmem"])
            for s in tf.tile(S, 32):
                ks = tf.reshard(k[s, :], (32, 32), "smem")
                sc = tf.matmul(qs, tf.transpose(ks, (1, 0)), out_dtype="f32")
                acc = acc + tf.reshard(tf.reduce(sc, axes=(1,), kind="sum"), (8, 1), "rmem")
            return tf.insert_slice(out, tf.reshard(acc, (8, 1), "gmem"), (o, 0))
