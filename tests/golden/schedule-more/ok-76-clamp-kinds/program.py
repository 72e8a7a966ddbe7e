from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget



@module(entry="run", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", 8), Topology("thread", 128)))
class P:
    @func
    def run(u: Tensor[(256, 64), "f32"], v: Tensor[(256, 64), "f32"]) -> Tensor[(256, 64), "f32"]:
        with Mesh(("cta",), layout=(8,), names=("r",)) as grid:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                y = tf.zeros(Tensor[(256, 64), "f32"])
                r0 = grid.r * 32
                ub = tf.empty(Tensor[(32, 64), "f32", (4 @ th.w, 8, 32 @ th.l, 2), "rmem"])
                vb = tf.empty(Tensor[(32, 64), "f32", (4 @ th.w, 8, 32 @ th.l, 2), "rmem"])
                uu = tf.schedule((u[r0:r0 + 32, 0:64], ub), op=T.copy())
                vv = tf.schedule((v[r0:r0 + 32, 0:64], vb), op=T.copy())
                a = tf.clamp(uu, min_val=0.0, max_val=1.0)
                b = tf.tanh(a)
                c = tf.sigmoid(b)
                w = c
                ob = tf.empty(Tensor[(32, 64), "f32", (32, 64)])
                o = tf.schedule((w, ob), op=T.copy())
                y = tf.insert_slice(y, o, (r0, 0))
                return y
