from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class FAC:
    @func
    def f(x: Tensor[(64, 64), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("b",)) as c:
            with Mesh(("thread",), layout=(4, 8, 4), names=("w", "i", "j")) as th:
                r = tf.reshard(x, ((4 @ th.w, 2, 8 @ th.i), (8, 4 @ th.j, 2)), "rmem")
                return r + 1.0
