from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget



@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class S:
    @func
    def run(x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                y = tf.zeros(Tensor[(16, 64), "f32"])
                for n in range(8):
                    i0 = tile.i * 8 + n
                    b = tf.empty(Tensor[(1, 64), "f32", ((1, 32 @ th.t, 2), (2, 0, 1)), "rmem"])
                    v = tf.schedule((x[i0:i0 + 1, 0:64], b), op=T.copy())
                    g = tf.empty(Tensor[(1, 64), "f32", ((1, 64), (64, 1))])
                    o = tf.schedule((v, g), op=T.copy())
                    y = tf.insert_slice(y, o, (i0, 0))
                return y
