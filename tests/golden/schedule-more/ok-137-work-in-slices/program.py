from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 64)))
class P:
    @func
    def run(x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(2, 32), names=("w", "t")) as th:
                i0 = tile.i * 8
                y = tf.zeros(Tensor[(16, 64), "f32"])
                with th[0, :] as a:
                    b = tf.empty(Tensor[(8, 64), "f32", ((8, 32 @ a.t, 2), (2, 0, 1)), "rmem"])
                    v = tf.schedule((x[i0:i0 + 8, 0:64], b), op=T.copy())
                    e = tf.exp(v)
                    st = tf.empty(Tensor[(8, 64), "f32", (8, 64), "smem"])
                    s = tf.schedule((e, st), op=T.copy())
                with th[1, :] as c:
                    b2 = tf.empty(Tensor[(8, 64), "f32", ((8, 32 @ c.t, 2), (2, 0, 1)), "rmem"])
                    v2 = tf.schedule((s, b2), op=T.copy())
                    w = v2 * v2
                    g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                    o = tf.schedule((w, g), op=T.copy())
                    y = tf.insert_slice(y, o, (i0, 0))
                return y
