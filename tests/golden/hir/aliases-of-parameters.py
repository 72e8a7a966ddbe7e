from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as c:
            a0 = tf.zeros(Tensor[(64, 32), "f32"])
            a = a0
            b = a0
            for i in range(5):
                a = a + x
                b = b * a0
            acc = y
            for i in range(5):
                acc = acc + z
            for i in tf.tile(64, 16):
                acc = acc + tf.reduce(acc[i, :], axes=(0,), kind="sum")
            return (a, b, acc)
