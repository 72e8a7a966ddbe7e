from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(64, 64), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=((4, 8), (1, 4)), names=("q", "o")) as w:
                acc = tf.zeros(Tensor[(16, 8), "f32", ((2, 8 @ w.o, 4 @ w.q, 2), (64, 8, 2, 1)), "rmem"])
                a = tf.empty(Tensor[(16, 16), "bf16", ((2, 8 @ w.o, 2, 4 @ w.q, 2), (8, 1, 128, 16, 64)), "rmem"])
                b = tf.empty(Tensor[(16, 8), "bf16", ((2, 4 @ w.q, 2, 8 @ w.o), (64, 16, 8, 1)), "rmem"])
                r = tf.schedule((acc, a, b), op=T.tiled_mma(atom=T.cuda.sm80.Mma()))
                e = tf.empty(Tensor[(16, 8), "f32", (16, 8)])
                return tf.schedule((r, e), op=T.copy())
