from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 32)))
class SR:
    @func
    def f(x: Tensor[(16, 256), "f32"]) -> Tensor[(16, 1), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("b",)) as c:
            with Mesh(("thread",), layout=(32,), names=("l",)) as th:
                y = tf.zeros(Tensor[(16, 1), "f32"])
                o = c.b * 4
                r = tf.reshard(x[o:o + 4, :], (4, 256 @ th.l), "rmem")
                s = tf.reduce(r, axes=(1,), kind="sum")
                return tf.insert_slice(y, tf.reshard(s, (4, 1), "gmem"), (o, 0))
