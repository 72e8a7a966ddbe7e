from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget



@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 32)))
class L:
    @func
    def run(a: Tensor[(64, 64), "bf16"], b: Tensor[(64, 8), "bf16"]) -> Tensor[(64, 8), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("i",)) as tile:
            with Mesh(("thread",), layout=((4, 8), (1, 4)), names=("q", "o")) as th:
                i0 = tile.i * 16
                acc = tf.zeros(Tensor[(16, 8), "f32", ((2, 8 @ th.o, 4 @ th.q, 2), (64, 8, 2, 1)), "rmem"])
                for k in tf.tile(64, 16):
                    sb = tf.empty(Tensor[(16, 16), "bf16", (16, 16), "smem"], buffers=2)
                    s = tf.schedule((a[i0:i0 + 16, k], sb), op=T.copy_async())
                    fb = tf.empty(Tensor[(16, 16), "bf16", ((2, 8 @ th.o, 2, 4 @ th.q, 2), (128, 16, 8, 2, 1)), "rmem"])
                    f = tf.schedule((s, fb), op=T.ldmatrix())
                    gb = tf.empty(Tensor[(16, 8), "bf16", ((2, 4 @ th.q, 2, 8 @ th.o), (64, 16, 8, 1)), "rmem"])
                    g = tf.schedule((b[k, 0:8], gb), op=T.copy())
                    acc = tf.schedule((acc, f, g), op=T.tiled_mma(atom=T.cuda.sm80.Mma()))
                y = tf.zeros(Tensor[(64, 8), "f32"])
                d = tf.empty(Tensor[(16, 8), "f32", (16, 8)])
                r = tf.schedule((acc, d), op=T.copy())
                return tf.insert_slice(y, r, (i0, 0))
