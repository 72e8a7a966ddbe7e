from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(32, 16), "bf16"], w: Tensor[(16, 8), "bf16"]) -> Tensor[(32, 8), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=((4, 8), (1, 4)), names=("q", "o")) as th:
                i0 = tile.i * 16
                st = tf.empty(Tensor[(16, 16), "bf16", (16, 16), "smem"])
                s = tf.schedule((x[i0:i0 + 16, 0:16], st), op=T.copy_async())
                a = tf.empty(Tensor[(16, 16), "bf16", ((2, 8 @ th.o, 2, 4 @ th.q, 2), (128, 16, 8, 2, 1)), "rmem"])
                ar = tf.schedule((s, a), op=T.ldmatrix())
                b = tf.empty(Tensor[(16, 8), "bf16", ((2, 4 @ th.q, 2, 8 @ th.o), (64, 16, 8, 1)), "rmem"])
                br = tf.schedule((w, b), op=T.copy())
                acc = tf.zeros(Tensor[(16, 8), "f32", ((2, 8 @ th.o, 4 @ th.q, 2), (64, 8, 2, 1)), "rmem"])
                acc = tf.schedule((acc, ar, br), op=T.tiled_mma(atom=T.cuda.sm80.Mma()))
                g = tf.empty(Tensor[(16, 8), "f32", (16, 8)])
                o = tf.schedule((acc, g), op=T.copy())
                y = tf.zeros(Tensor[(32, 8), "f32"])
                return tf.insert_slice(y, o, (i0, 0))
