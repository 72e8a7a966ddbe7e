from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as c:
            p = tf.exp(z)
            lo = tf.zeros(Tensor[(64, 32), "f32"])
            hi = tf.zeros(Tensor[(64, 32), "f32"])
            q = tf.abs(x)
            w = tf.neg(y)
            for i in range(5):
                t = q + p
                hi = hi * q
                u = w * t
                lo = lo + u + hi
            return lo
