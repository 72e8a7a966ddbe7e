from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as mesh:
            a, b = tf.split(x, axis=0, num_splits=2)
            k = 1
            for i in range(3):
                c, b = tf.split(x + tf.concat([b, b], axis=0), axis=0, num_splits=2)
                a = a + c
            return a + b
