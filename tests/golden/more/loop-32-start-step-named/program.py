from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

A, Z, S = 3, 45, 6


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2),))
class SSS:
    @func
    def f(x: Tensor[(64, 48), "f32"]) -> Tensor[(6, 6), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("u",)) as g:
            t = tf.zeros(Tensor[(6, 6), "f32"])
            for i in range(A, Z, S):
                t = t + x[i:i + S, i:i + S]
            return t
