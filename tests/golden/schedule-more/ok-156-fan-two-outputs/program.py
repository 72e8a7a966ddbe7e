# elementwise fan: unary, binary, where, clamp, relu, cast
from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="run", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", 8), Topology("thread", 128)))
class Fan:
    @func
    def run(u: Tensor[(512, 64), "f32"], v: Tensor[(512, 64), "f32"]) -> tuple[Tensor[(512, 64), "bf16"], Tensor[(512, 64), "f32"]]:
        with Mesh(("cta",), layout=(8,), names=("r",)) as grid:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                y = tf.zeros(Tensor[(512, 64), "bf16"])
                r0 = grid.r * 64
                ub = tf.empty(Tensor[(64, 64), "f32", (4 @ th.w, 16, 32 @ th.l, 2), "rmem"])
                vb = tf.empty(Tensor[(64, 64), "f32", (4 @ th.w, 16, 32 @ th.l, 2), "rmem"])
                uu = tf.schedule((u[r0:r0 + 64, 0:64], ub), op=T.copy())
                vv = tf.schedule((v[r0:r0 + 64, 0:64], vb), op=T.copy())
                e = tf.exp(uu)
                s = e * vv + uu
                c = tf.clamp(s, min_val=-2.0, max_val=6.0)
                m = tf.where(uu > vv, c, e)
                h = tf.relu(m)
                d = tf.cast(h, dtype="bf16")
                ob = tf.empty(Tensor[(64, 64), "bf16", (64, 64)])
                o = tf.schedule((d, ob), op=T.copy())
                y = tf.insert_slice(y, o, (r0, 0))
                z = tf.zeros(Tensor[(512, 64), "f32"])
                zb = tf.empty(Tensor[(64, 64), "f32", (64, 64)])
                zo = tf.schedule((h, zb), op=T.copy())
                z = tf.insert_slice(z, zo, (r0, 0))
                return y, z
