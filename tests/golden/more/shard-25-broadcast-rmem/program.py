from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 16)))
class GATHER:
    @func
    def f(x: Tensor[(32, 16), "f32"]):
        with Mesh(("cta",), layout=(2,), names=("b",)) as c:
            with Mesh(("thread",), layout=(16,), names=("t",)) as th:
                o = c.b * 16
                r = tf.reshard(x[o:o + 16, :], (16 @ th.t, 16), "rmem")
                w = tf.reshard(r * 2.0, (16, 16), "rmem")
                return tf.reduce(w, axes=(0, 1), kind="sum")
