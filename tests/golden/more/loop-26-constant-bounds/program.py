from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

LO, HI, STEP = 2 ** 3, 5 * 13 - 1, 7


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class BOUNDS:
    @func
    def f(x: Tensor[(HI + STEP, 12), "f32"]) -> Tensor[(STEP, 12), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            acc = tf.zeros(Tensor[(STEP, 12), "f32"])
            for i in range(LO, HI, STEP):
                acc = acc + x[i:i + STEP, :]
            return acc
