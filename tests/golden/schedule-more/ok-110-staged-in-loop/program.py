from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 128)))
class Rows:
    @func
    def run(u: Tensor[(256, 128), "f32"], v: Tensor[(256, 128), "f32"]) -> Tensor[(256, 128), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("r",)) as grid:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                y = tf.zeros(Tensor[(256, 128), "f32"])
                for n in range(grid.r, 16, 4):
                    r0 = n * 16
                    us = tf.empty(Tensor[(16, 128), "f32", (16, 128), "smem"], buffers=2)
                    uu = tf.schedule((u[r0:r0 + 16, 0:128], us), op=T.copy_async())
                    ub = tf.empty(Tensor[(16, 128), "f32", (4 @ th.w, 4, 32 @ th.l, 4), "rmem"])
                    ur = tf.schedule((uu, ub), op=T.copy())
                    vb = tf.empty(Tensor[(16, 128), "f32", (4 @ th.w, 4, 32 @ th.l, 4), "rmem"])
                    vr = tf.schedule((v[r0:r0 + 16, 0:128], vb), op=T.copy())
                    top = tf.reduce(ur, axes=(1,), kind="max", keepdim=True)
                    e = tf.exp((ur - top) * 0.5)
                    z = tf.reduce(e, axes=(1,), kind="sum", keepdim=True)
                    p = e / z * vr
                    back = tf.empty(Tensor[(16, 128), "f32", (16, 128), "smem"])
                    bb = tf.schedule((p, back), op=T.copy())
                    g = tf.empty(Tensor[(16, 128), "f32", (16, 128)])
                    o = tf.schedule((bb, g), op=T.copy())
                    y = tf.insert_slice(y, o, (r0, 0))
                return y
