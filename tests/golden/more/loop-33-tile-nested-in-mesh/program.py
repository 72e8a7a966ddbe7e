from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 32)))
class SANDWICH:
    @func
    def f(x: Tensor[(64, 96), "f32"]) -> Tensor[(64, 96), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("b",)) as c:
            y = tf.zeros(Tensor[(64, 96), "f32"])
            for i in range(4):
                o = c.b * 16 + i * 4
                with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                    s = tf.zeros(Tensor[(4, 32 @ th.t), "f32", "rmem"])
                    for w in tf.tile(96, 32):
                        s = s + tf.reshard(x[o:o + 4, w], (4, 32 @ th.t), "rmem")
                    d = tf.reshard(s, (4, 32), "gmem")
                y = tf.insert_slice(y, d, (o, 0))
            return y
