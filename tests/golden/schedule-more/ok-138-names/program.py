from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                i0 = tile.i * 8
                y = tf.zeros(Tensor[(16, 64), "f32"])
                b = tf.empty(Tensor[(8, 64), "f32", ((8, 32 @ th.t, 2), (2, 0, 1)), "rmem"])
                dst_view_1 = tf.schedule((x[i0:i0 + 8, 0:64], b), op=T.copy())
                g = tf.exp(dst_view_1)
                scope_1 = tf.exp(g)
                st_2 = tf.exp(scope_1)
                st = tf.empty(Tensor[(8, 64), "f32", (8, 64), "smem"])
                s = tf.schedule((st_2, st), op=T.copy())
                with th[:16] as th2:
                    b2 = tf.empty(Tensor[(8, 64), "f32", ((8, 16 @ th2.t, 4), (4, 0, 1)), "rmem"])
                    v2 = tf.schedule((s, b2), op=T.copy())
                    y_1 = tf.exp(v2)
                    g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                    o = tf.schedule((y_1, g), op=T.copy())
                    y2 = tf.insert_slice(y, o, (i0, 0))
                return y2
