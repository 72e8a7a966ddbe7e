from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def scale(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        v = tf.exp(x)
        return v * 0.5

    @func
    def twice(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        return scale(x) + x

    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                a = tf.relu(x)
                b = twice(a)
                return a + b
