from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as c:
            o = c.b * 8
            p = o + 1
            a = x[o:o + 8, :]
            b = x[3:11, :]
            d = x[p:p+8, 4:20:2]
            e = x[:, 3]
            g = x[2, :]
            for i in range(4):
                a = a + x[i:i+8, :] * 2.0 + b
                a = a + x[8*i+2:8*i+10, :] - y[i*8:(i+1)*8, :]
                a = a + tf.slice(z, (i*3+1, 0), sizes=(8, 32), strides=(1,1))
            return a, d, e, g
