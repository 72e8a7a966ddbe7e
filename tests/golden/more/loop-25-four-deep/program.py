from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class FOUR:
    @func
    def f(x: Tensor[(2, 3, 4, 5), "f32"]) -> Tensor[(1, 1, 1, 1), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            s = tf.zeros(Tensor[(1, 1, 1, 1), "f32"])
            for a in range(2):
                for b in range(3):
                    for c in range(4):
                        for d in range(5):
                            s = s + x[a:a + 1, b:b + 1, c:c + 1, d:d + 1]
            return s
