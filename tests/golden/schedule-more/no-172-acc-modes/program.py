from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class P:
    @func
    def run(x: Tensor[(8, 64), "f32"], ga: Tensor[(128, 128), "bf16"]) -> Tensor[(8, 64), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 8, 4), names=("w", "hi", "lo")) as work:
                acc = tf.zeros(Tensor[(64, 64), "f32", ((4 @ work.w, 16, 8, 8 @ work.hi), (16, 0, 1, 8)), "rmem"])
                a = tf.empty(Tensor[(64, 64), "bf16", Layout(((8, 8), (4, 16)), ((512, 64), (16, 1))) | Swizzle(3, 4, 3), "smem"])
                b = tf.empty(Tensor[(64, 64), "bf16", Layout(((4, 2, 8), (1, 64)), ((1024, 512, 64), (4096, 1))) | Swizzle(3, 4, 3), "smem"])
                r = tf.schedule((acc, a, b), op=T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=64, dtype="bf16", form=T.cuda.sm90.Form.SS, a_major=T.cuda.sm90.Major.K, b_major=T.cuda.sm90.Major.MN)))
                g = tf.empty(Tensor[(64, 64), "f32", (64, 64)])
                o = tf.schedule((r, g), op=T.copy())
                e = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                return tf.schedule((o[0:8, 0:64], e), op=T.copy())
