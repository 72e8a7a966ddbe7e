from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 7),))
class CO:
    @func
    def f(x: Tensor[(70, 9), "f16"]):
        with Mesh(("cta",), layout=(7,), names=("b",)) as g:
            o = g.b * 10
            t = x[o:o + 10, :]
            return tf.exp(t) * t - t
