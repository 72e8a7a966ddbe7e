# persistent nested, single consumer group, N=288 with BN=96, BK=128
from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

ROWS, COLS, DEEP = 1024, 288, 384
BR, BC, BD = 64, 96, 128
CTAS = 12
GR, GC = ROWS // BR, COLS // BC
PACK = 4


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", CTAS), Topology("thread", 256)))
class Packed:
    @func
    def go(left: Tensor[(ROWS, DEEP), "bf16"],
           right: Tensor[(DEEP, COLS), "bf16"]) -> Tensor[(ROWS, COLS), "bf16"]:
        with Mesh(("cta",), layout=(CTAS,), names=("id",)) as sm:
            with Mesh(("thread",), layout=(2, 128), names=("grp", "lane")) as block:
                res = tf.zeros(Tensor[(ROWS, COLS), "bf16"])
                for pk in range(GR // PACK):
                    for col in range(GC):
                        for sub in range((sm.id - (pk * GC + col) * PACK) % CTAS, PACK, CTAS):
                            r0 = (pk * PACK + sub) * BR
                            c0 = col * BC
                            with Mesh(block[1:2, :], layout=(4, 8, 4), names=("w", "hi", "lo")) as work:
                                acc = tf.zeros(Tensor[(BR, BC), "f32", ((4 @ work.w, 2, 8 @ work.hi, BC // 8, 4 @ work.lo, 2), (16, 8, 1, 512, 128, 64)), "rmem"])
                            for d in tf.tile(DEEP, BD):
                                with block[0, :32] as tma:
                                    lb = tf.empty(Tensor[(BR, BD), "bf16", Layout(((8, 8), (2, 4, 16)), ((512, 64), (4096, 16, 1))) | Swizzle(3, 4, 3), "smem"], buffers=2)
                                    ls = tf.schedule((left[r0:r0 + BR, d], lb), op=T.copy_async_tensor())
                                    rb = tf.empty(Tensor[(BD, BC), "bf16", Layout(((8, 2, 8), (3, 32)), ((512, 256, 32), (4096, 1))) | Swizzle(2, 4, 3), "smem"], buffers=2)
                                    rs = tf.schedule((right[d, c0:c0 + BC], rb), op=T.copy_async_tensor())
                                with Mesh(block[1:2, :], layout=(4, 8, 4), names=("w", "hi", "lo")) as work:
                                    acc = tf.schedule((acc, ls, rs), op=T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=BC, dtype="bf16", form=T.cuda.sm90.Form.SS, a_major=T.cuda.sm90.Major.K)), repeat=(1, 1, 8))
                            with Mesh(block[1:2, :], layout=(4, 8, 4), names=("w", "hi", "lo")) as work:
                                half = tf.cast(acc, dtype="bf16")
                                g = tf.empty(Tensor[(BR, BC), "bf16", (BR, BC)])
                                r = tf.schedule((half, g), op=T.copy())
                                res = tf.insert_slice(res, r, (r0, c0))
                return res
