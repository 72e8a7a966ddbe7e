from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class Small:
    @func
    def run(x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                i0 = tile.i * 8
                b = tf.empty(Tensor[(8, 64), "f32", ((8, 32 @ th.t, 2), (2, 0, 1)), "rmem"])
                v = tf.schedule((x[i0:i0 + 8, 0:64], b), op=T.copy())
                rd = tf.empty(Tensor[(8, 64), "f32", ((8, 32 @ th.t, 2), (2, 0, 1)), "rmem"])
                w = tf.schedule((v, v, v, rd), op=T.where())
                g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                o = tf.schedule((w, g), op=T.copy())
                y = tf.zeros(Tensor[(16, 64), "f32"])
                return tf.insert_slice(y, o, (i0, 0))
