from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                i0 = tile.i * 8
                st = tf.empty(Tensor[(8, 64), "f32", (8, 64), "smem"])
                s = tf.schedule((x[i0:i0 + 8, 0:64], st), op=T.copy_async())
                xs = x[4:12, 0:64]
                xs2 = xs[2:6, 16:48]
                b = tf.empty(Tensor[(4, 32), "f32", ((4, 32 @ th.t), (1, 0)), "rmem"])
                v = tf.schedule((xs2, b), op=T.copy())
                b2 = tf.empty(Tensor[(4, 32), "f32", ((4, 32 @ th.t), (1, 0)), "rmem"])
                v2 = tf.schedule((s[4:8, 32:64], b2), op=T.copy())
                b3 = tf.empty(Tensor[(4, 32), "f32", ((4, 32 @ th.t), (1, 0)), "rmem"])
                v3 = tf.schedule((x[0:8:2, 0:32], b3), op=T.copy())
                b4 = tf.empty(Tensor[(4, 32), "f32", ((4, 32 @ th.t), (1, 0)), "rmem"])
                v4 = tf.schedule((x[0:4, 0:64:2], b4), op=T.copy())
                w = v + v2 + v3 + v4
                g = tf.empty(Tensor[(4, 32), "f32", (4, 32)])
                o = tf.schedule((w, g), op=T.copy())
                y = tf.zeros(Tensor[(16, 64), "f32"])
                return tf.insert_slice(y, o, (i0, 0))
