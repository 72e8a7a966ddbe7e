from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(256, 64), "f32"]) -> Tensor[(256, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                y = tf.zeros(Tensor[(256, 64), "f32"])
                for task in range(tile.i, 32, 2):
                    r0 = ((task // 8) * 8 + (task % 8)) * 8
                    st = tf.empty(Tensor[(8, 64), "f32", (8, 64), "smem"], buffers=3)
                    s = tf.schedule((x[r0:r0 + 8, 0:64], st), op=T.copy_async())
                    g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                    o = tf.schedule((s, g), op=T.copy())
                    y = tf.insert_slice(y, o, (r0, 0))
                return y
