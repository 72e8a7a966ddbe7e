from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

SZ = 512


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", 32), Topology("thread", 128)))
class Fp8Both:
    @func
    def run(a: Tensor[(SZ, SZ), "fp8e4m3"],
            bt: Tensor[(SZ, SZ), "fp8e4m3", ((SZ, SZ), (1, SZ))]) -> Tensor[(SZ, SZ), "f32"]:
        with Mesh(("cta",), layout=(8, 4), names=("i", "j")) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("warp", "lane")) as block:
                with Mesh(block[:, :], layout=(4, 8, 4), names=("wid", "hi", "lo")) as work:
                    acc = tf.zeros(Tensor[(64, 128), "f32", ((4 @ work.wid, 2, 8 @ work.hi, 16, 4 @ work.lo, 2), (16, 8, 1, 512, 128, 64)), "rmem"])
                for s in tf.tile(SZ, 128):
                    with block[0:1, :] as tma:
                        as_ = tf.empty(Tensor[(64, 128), "fp8e4m3", Layout(((8, 8), (4, 32)), ((1024, 128), (32, 1))) | Swizzle(3, 4, 3), "smem"], buffers=2)
                        at = tf.schedule((a[tile.i * 64:tile.i * 64 + 64, s], as_), op=T.copy_async_tensor())
                        bs_ = tf.empty(Tensor[(128, 128), "fp8e4m3", Layout(((4, 32), (16, 8)), ((32, 1), (1024, 128))) | Swizzle(3, 4, 3), "smem"], buffers=2)
                        bb = tf.schedule((bt[s, tile.j * 128:tile.j * 128 + 128], bs_), op=T.copy_async_tensor())
                    with Mesh(block[:, :], layout=(4, 8, 4), names=("wid", "hi", "lo")) as work:
                        acc = tf.schedule((acc, at, bb), op=T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=128, dtype="fp8e4m3", form=T.cuda.sm90.Form.SS)))
                with Mesh(block[:, :], layout=(4, 8, 4), names=("wid", "hi", "lo")) as work:
                    i0 = tile.i * 64
                    j0 = tile.j * 128
                    y = tf.zeros(Tensor[(SZ, SZ), "f32"])
                    g = tf.empty(Tensor[(64, 128), "f32", (64, 128)])
                    r = tf.schedule((acc, g), op=T.copy())
                    return tf.insert_slice(y, r, (i0, j0))
