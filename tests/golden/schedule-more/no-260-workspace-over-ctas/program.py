from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 128)))
class P:
    @func
    def run(x: Tensor[(16, 128), "f32"]):
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            i0 = tile.i * 8
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                b = tf.empty(Tensor[(8, 128), "f32", ((8, 4 @ th.w, 32 @ th.l), (1, 0, 0)), "rmem"])
                v = tf.schedule((x[i0:i0 + 8, 0:128], b), op=T.copy())
                rb = tf.empty(Tensor[(8, 1), "f32", ((8, 1), (1, 1)) @ {B()}, "rmem"])
                ws = tf.empty(Tensor[(4,), "f32", (4,), "smem"])
                w = tf.schedule((v, rb, ws), op=T.reduce(axes=(1,), keepdim=True, kind=ReduceKind.SUM))
                g = tf.empty(Tensor[(8, 1), "f32", (8, 1)])
                o = tf.schedule((w, g), op=T.copy())
                y = tf.zeros(Tensor[(16, 1), "f32"])
                return tf.insert_slice(y, o, (i0, 0))
