# row softmax, one warp per row block
from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="run", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", 16), Topology("thread", 64)))
class Soft:
    @func
    def run(u: Tensor[(256, 128), "f32"]) -> Tensor[(256, 128), "f32"]:
        with Mesh(("cta",), layout=(16,), names=("r",)) as grid:
            with Mesh(("thread",), layout=(2, 32), names=("w", "l")) as th:
                r0 = grid.r * 16
                ub = tf.empty(Tensor[(16, 128), "f32", (2 @ th.w, 8, 32 @ th.l, 4), "rmem"])
                uu = tf.schedule((u[r0:r0 + 16, 0:128], ub), op=T.copy())
                top = tf.reduce(uu, axes=(1,), kind="max", keepdim=True)
                e = tf.exp(uu - top)
                z = tf.reduce(e, axes=(1,), kind="sum", keepdim=True)
                p = e / z
                ob = tf.empty(Tensor[(16, 128), "f32", (16, 128)])
                o = tf.schedule((p, ob), op=T.copy())
                y = tf.zeros(Tensor[(256, 128), "f32"])
                return tf.insert_slice(y, o, (r0, 0))
