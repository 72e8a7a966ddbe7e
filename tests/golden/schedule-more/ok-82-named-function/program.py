from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget



@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 32)))
class WithTwo:
    @func
    def twice(x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                i0 = tile.i * 4
                b = tf.empty(Tensor[(4, 64), "f32", ((4, 32 @ th.t, 2), (2, 0, 1)), "rmem"])
                v = tf.schedule((x[i0:i0 + 4, 0:64], b), op=T.copy())
                s = v + v
                g = tf.empty(Tensor[(4, 64), "f32", (4, 64)])
                o = tf.schedule((s, g), op=T.copy())
                z = tf.zeros(Tensor[(16, 64), "f32"])
                return tf.insert_slice(z, o, (i0, 0))

    @func
    def run(x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("i",)) as tile:
            y = twice(x)
            return twice(y)
