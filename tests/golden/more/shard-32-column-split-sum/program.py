from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 32)))
class CS:
    @func
    def f(x: Tensor[(32, 64), "f32"]) -> Tensor[(4, 64), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("b",)) as c:
            with Mesh(("thread",), layout=(32,), names=("l",)) as th:
                y = tf.zeros(Tensor[(4, 64), "f32"])
                o = c.b * 8
                r = tf.reshard(x[o:o + 8, :], (8, 64 @ th.l), "rmem")
                s = tf.reduce(r, axes=(0,), kind="sum")
                return tf.insert_slice(y, tf.reshard(s, (1, 64), "gmem"), (c.b, 0))
