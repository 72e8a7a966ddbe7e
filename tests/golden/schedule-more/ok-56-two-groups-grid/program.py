from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget



M, N, K = 512, 512, 256
BM, BN, BK = 128, 128, 64


@module(entry="mm", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", 16), Topology("thread", 384)))
class Two:
    @func
    def mm(a: Tensor[(M, K), "bf16"], b: Tensor[(K, N), "bf16"]) -> Tensor[(M, N), "bf16"]:
        with Mesh(("cta",), layout=(4, 4), names=("x", "y")) as grid:
            with Mesh(("thread",), layout=(3, 128), names=("g", "t")) as crew:
                c = tf.zeros(Tensor[(M, N), "bf16"])
                m0 = grid.x * BM
                n0 = grid.y * BN
                with Mesh(crew[1:3, :], layout=(2, 4, 8, 4), names=("p", "w", "o", "q")) as duo:
                    acc = tf.zeros(Tensor[(BM, BN), "f32", ((2 @ duo.p, 4 @ duo.w, 2, 8 @ duo.o, BN // 8, 4 @ duo.q, 2), (64 * BN, 16, 8, 1, 512, 128, 64)), "rmem"])
                for k in tf.tile(K, BK):
                    with crew[0, :32] as ld:
                        ar = tf.empty(Tensor[(BM, BK), "bf16", Layout(((2, 8, 8), (4, 16)), ((4096, 512, 64), (16, 1))) | Swizzle(3, 4, 3), "smem"], buffers=4)
                        at = tf.schedule((a[m0:m0 + BM, k], ar), op=T.copy_async_tensor())
                        br = tf.empty(Tensor[(BK, BN), "bf16", Layout(((4, 2, 8), (2, 64)), ((1024, 512, 64), (4096, 1))) | Swizzle(3, 4, 3), "smem"], buffers=4)
                        bt = tf.schedule((b[k, n0:n0 + BN], br), op=T.copy_async_tensor())
                    with Mesh(crew[1:3, :], layout=(2, 4, 8, 4), names=("p", "w", "o", "q")) as duo:
                        acc = tf.schedule((acc, at, bt), op=T.tiled_mma(atom=T.cuda.sm90.Wgmma(n=BN, dtype="bf16", form=T.cuda.sm90.Form.SS, a_major=T.cuda.sm90.Major.K)), repeat=(2, 1, 4))
                with Mesh(crew[1:3, :], layout=(2, 4, 8, 4), names=("p", "w", "o", "q")) as duo:
                    half = tf.cast(acc, dtype="bf16")
                    st = tf.empty(Tensor[(BM, BN), "bf16", Layout((128, (2, 64)), (64, (8192, 1))) | Swizzle(3, 4, 3), "smem"])
                    staged = tf.schedule((half, st), op=T.copy())
                with crew[0, :32] as ld:
                    g = tf.empty(Tensor[(BM, BN), "bf16", (BM, BN)])
                    tile = tf.schedule((staged, g), op=T.copy_async_tensor())
                    c = tf.insert_slice(c, tile, (m0, n0))
                return c
