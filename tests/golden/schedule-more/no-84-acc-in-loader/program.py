from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", 4), Topology("thread", 256)))
class Probe:
    @func
    def run(a: Tensor[(128, 128), "bf16"], b: Tensor[(128, 128), "bf16"]) -> Tensor[(128, 128), "f32"]:
        with Mesh(("cta",), layout=(2, 2), names=("i", "j")) as tile:
            with Mesh(("thread",), layout=(2, 128), names=("grp", "lane")) as block:
                i0 = tile.i * 64
                j0 = tile.j * 64
                y = tf.zeros(Tensor[(128, 128), "f32"])
                with Mesh(block[1:2, :], layout=(4, 8, 4), names=("w", "hi", "lo")) as work:
                    acc = tf.zeros(Tensor[(64, 64), "f32", ((4 @ work.w, 2, 8 @ work.hi, 8, 4 @ work.lo, 2), (16, 8, 1, 512, 128, 64)), "rmem"])
                for k in tf.tile(128, 64):
                    with block[0, :32] as tma:
                        ab = tf.empty(Tensor[(64, 64), "bf16", Layout(((8, 8), (4, 16)), ((512, 64), (16, 1))) | Swizzle(3, 4, 3), "smem"], buffers=2)
                        as_ = tf.schedule((a[i0:i0 + 64, k], ab), op=T.copy_async_tensor())
                        bb = tf.empty(Tensor[(64, 64), "bf16", Layout(((4, 2, 8), (1, 64)), ((1024, 512, 64), (4096, 1))) | Swizzle(3, 4, 3), "smem"], buffers=2)
                        bs_ = tf.schedule((b[k, j0:j0 + 64], bb), op=T.copy_async_tensor())
                        acc = acc + 1.0
                    with Mesh(block[1:2, :], layout=(4, 8, 4), names=("w", "hi", "lo")) as work:
                        acc = tf.schedule((acc, as_, bs_), op=T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=64, dtype="bf16", form=T.cuda.sm90.Form.SS, a_major=T.cuda.sm90.Major.K)))
                with Mesh(block[1:2, :], layout=(4, 8, 4), names=("w", "hi", "lo")) as work:
                    g = tf.empty(Tensor[(64, 64), "f32", (64, 64)])
                    r = tf.schedule((acc, g), op=T.copy())
                    y = tf.insert_slice(y, r, (i0, j0))
                return y
