from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 64)))
class Quads:
    @func
    def run(a: Tensor[(64, 64), "bf16"], b: Tensor[(64, 32), "bf16"]) -> Tensor[(64, 32), "f32"]:
        with Mesh(("cta",), layout=(2, 2), names=("i", "j")) as tile:
            with Mesh(("thread",), layout=((2, 4, 8), (32, 1, 4)), names=("wm", "q", "o")) as warp:
                i0 = tile.i * 32
                j0 = tile.j * 16
                acc = tf.zeros(Tensor[(32, 16), "f32", ((2 @ warp.wm, 2, 8 @ warp.o, 2, 4 @ warp.q, 2), (256, 64, 8, 128, 2, 1)), "rmem"])
                for k in tf.tile(64, 16):
                    at = tf.empty(Tensor[(32, 16), "bf16", (32, 16), "smem"], buffers=2)
                    as_ = tf.schedule((a[i0:i0 + 32, k], at), op=T.copy_async())
                    a_fr = tf.empty(Tensor[(32, 16), "bf16", ((2 @ warp.wm, 2, 8 @ warp.o, 2, 4 @ warp.q, 2), (256, 128, 16, 8, 2, 1)), "rmem"])
                    a_r = tf.schedule((as_, a_fr), op=T.copy())
                    b_fr = tf.empty(Tensor[(16, 16), "bf16", ((2, 4 @ warp.q, 2, 2, 8 @ warp.o), (64, 16, 8, 128, 1)), "rmem"])
                    b_r = tf.schedule((b[k, j0:j0 + 16], b_fr), op=T.copy())
                    acc = tf.schedule((acc, a_r, b_r), op=T.tiled_mma(atom=T.cuda.sm80.Mma()))
                y = tf.zeros(Tensor[(64, 32), "f32"])
                g = tf.empty(Tensor[(32, 16), "f32", (32, 16)])
                r = tf.schedule((acc, g), op=T.copy())
                return tf.insert_slice(y, r, (i0, j0))
