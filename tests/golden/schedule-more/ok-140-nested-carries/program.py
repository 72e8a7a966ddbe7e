from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                r0 = tile.i * 8
                y = tf.zeros(Tensor[(16, 64), "f32"])
                st = tf.empty(Tensor[(8, 64), "f32", (8, 64), "smem"])
                s = tf.schedule((x[r0:r0 + 8, 0:64], st), op=T.copy_async())
                acc = tf.zeros(Tensor[(8, 64), "f32", ((8, 32 @ th.t, 2), (2, 0, 1)), "rmem"])
                for n in range(4):
                    for m in range(3):
                        b = tf.empty(Tensor[(8, 64), "f32", ((8, 32 @ th.t, 2), (2, 0, 1)), "rmem"])
                        v = tf.schedule((s, b), op=T.copy())
                        acc = acc + v
                    acc = acc * 0.5
                g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                o = tf.schedule((acc, g), op=T.copy())
                return tf.insert_slice(y, o, (r0, 0))
