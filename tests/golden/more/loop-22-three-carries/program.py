from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="fib", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class FIB:
    @func
    def fib(x: Tensor[(20, 20), "f32"], y: Tensor[(20, 20), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            prev = x
            cur = y
            total = tf.zeros(Tensor[(20, 20), "f32"])
            for i in range(11):
                nxt = prev + cur
                prev = cur
                cur = nxt
                total = total + nxt * 0.5
            return cur, total
