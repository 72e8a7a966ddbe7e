from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 64)))
class ZS:
    @func
    def f(x: Tensor[(128, 32), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("b",)) as c:
            with Mesh(("thread",), layout=(64,), names=("t",)) as th:
                z = tf.zeros(Tensor[(128 @ th.t, 32), "f32", "rmem"])
                r = tf.reshard(x, (128 @ th.t, 32), "rmem")
                return tf.reshard(z + r * 3.0, (128, 32), "gmem")
