from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as mesh:
            a, b = tf.split(x, axis=0, num_splits=2)
            t = (a, b)
            u = t[0] + t[1]
            w: Tensor[(32, 32), "f32"] = u * 2.0
            return (w, t, (x < y) , tf.where(x < y, x, y))
