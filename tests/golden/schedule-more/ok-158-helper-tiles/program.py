from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 64)))
class Tiles:
    @func
    def scaled(x: Tensor[(64, 64), "f32"]) -> Tensor[(64, 64), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(2, 32), names=("w", "l")) as th:
                z = tf.zeros(Tensor[(64, 64), "f32"])
                for n in range(2):
                    r0 = tile.i * 16 + n * 8
                    st = tf.empty(Tensor[(8, 64), "f32", (8, 64), "smem"], buffers=2)
                    s = tf.schedule((x[r0:r0 + 8, 0:64], st), op=T.copy_async())
                    b = tf.empty(Tensor[(8, 64), "f32", ((2 @ th.w, 4, 32 @ th.l, 2), (0, 2, 0, 1)), "rmem"])
                    v = tf.schedule((s, b), op=T.copy())
                    w = v * 3.0
                    g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                    o = tf.schedule((w, g), op=T.copy())
                    z = tf.insert_slice(z, o, (r0, 0))
                return z

    @func
    def run(x: Tensor[(64, 64), "f32"], y: Tensor[(64, 64), "f32"]) -> tuple[Tensor[(64, 64), "f32"], Tensor[(64, 64), "f32"]]:
        with Mesh(("cta",), layout=(4,), names=("i",)) as tile:
            a = scaled(x)
            b = scaled(y)
            return a, b
