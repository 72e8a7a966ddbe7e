from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

FAST = 3 > 2

if FAST:
    @module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
    class QUICK:
        @func
        def f(x: Tensor[(8, 8), "f32"]):
            with Mesh(("cta",), layout=(4,), names=("u",)) as g:
                return tf.abs(x)
else:
    @module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
    class SLOW:
        @func
        def f(x: Tensor[(8, 8), "f32"]):
            return tf.neg(x)
