from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", 2), Topology("thread", 128)))
class Ordered:
    @func
    def run(p: Tensor[(256, 32), "bf16"], q: Tensor[(32, 128), "bf16"]) -> Tensor[(256, 128), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 8, 4), names=("w", "hi", "lo")) as work:
                i0 = tile.i * 128
                acc = tf.zeros(Tensor[(128, 128), "f32", ((2, 4 @ work.w, 2, 8 @ work.hi, 2, 8, 4 @ work.lo, 2), (8192, 16, 8, 1, 4096, 512, 128, 64)), "rmem"])
                with Mesh(work[0:1, :, :], layout=(32,), names=("t",)) as tma:
                    pb = tf.empty(Tensor[(128, 32), "bf16", Layout(((2, 8, 8), (2, 16)), ((2048, 256, 32), (16, 1))) | Swizzle(2, 4, 3), "smem"])
                    ps = tf.schedule((p[i0:i0 + 128, 0:32], pb), op=T.copy_async_tensor())
                    qb = tf.empty(Tensor[(32, 128), "bf16", Layout(((2, 2, 8), (2, 1, 64)), ((1024, 512, 64), (2048, 2048, 1))) | Swizzle(3, 4, 3), "smem"])
                    qs = tf.schedule((q[0:32, 0:128], qb), op=T.copy_async_tensor())
                acc = tf.schedule((acc, ps, qs), op=T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=64, dtype="bf16", form=T.cuda.sm90.Form.SS, a_major=T.cuda.sm90.Major.K)), repeat=(2, 2, 2))
                y = tf.zeros(Tensor[(256, 128), "f32"])
                g = tf.empty(Tensor[(128, 128), "f32", (128, 128)])
                r = tf.schedule((acc, g), op=T.copy())
                return tf.insert_slice(y, r, (i0, 0))
