from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

L = DimVar("L", lo=16, hi=8192)


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class TC:
    @func
    def f(x: Tensor[(L, 8), "f32"], w: Tensor[(8, 4), "f32"]) -> Tensor[(L, 4), "f32"]:
        y = tf.matmul(x, w)
        return tf.exp(y) + y
