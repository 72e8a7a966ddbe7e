from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(256, 64), "f32"], idx: Tensor[(8,), "i32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                st = tf.empty(Tensor[(8, 64), "f32", (8, 64), "smem"])
                s = tf.schedule((x, st, idx), op=T.copy_async(fill=0.0))
                i0 = tile.i * 8

                g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                o = tf.schedule((s, g), op=T.copy())
                y = tf.zeros(Tensor[(16, 64), "f32"])
                return tf.insert_slice(y, o, (i0, 0))
