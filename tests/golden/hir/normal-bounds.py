from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"]):
        g = Mesh(("cta",), layout=(4,2), names=("a","b"))
        with g as m:
            r = x + y
            for i in range(m.a, 8, 2):
                for j in range((m.b - i * 3) % 5, 9, 2):
                    r = r + x[i + j:i + j + 1, :]
                    s = tf.min(i, j)
                    r = r + x[s:s+1, :]
                    d = -i + 70
                    r = r + x[d // 2: d // 2 + 1,:]
        return r
