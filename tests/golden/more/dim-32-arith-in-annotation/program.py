from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

N = DimVar("N", lo=1, hi=100)


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class ARITH:
    @func
    def f(x: Tensor[(2 * N, 16), "f32"], y: Tensor[(N * 2, 16), "f32"]) -> Tensor[(2 * N, 16), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            return tf.exp(x * y)
