from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class DEAD:
    @func
    def f(x: Tensor[(16, 16), "f32"], unused: Tensor[(1024, 1024), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            waste = tf.exp(unused)
            y = x + x
            more = waste * 2.0
            return y
