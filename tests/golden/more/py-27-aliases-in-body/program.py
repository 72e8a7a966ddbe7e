from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

K, L = 18, 30


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 6),))
class ALIAS:
    @func
    def f(x: Tensor[(K * 6, L), "f32"], y: Tensor[(K * 6, L), "f32"]):
        with Mesh(("cta",), layout=(2, 3), names=("p", "q")) as g:
            row = g.p * 3 + g.q
            o = row * K
            a, b = x[o:o + K, :], y[o:o + K, :]
            (s, d) = (a + b, a - b)
            t = s
            s = d * t
            return s, t
