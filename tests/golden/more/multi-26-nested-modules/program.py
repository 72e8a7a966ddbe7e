from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="go")
class Half:
    @func
    def go(x: Tensor[(12, 12), "f32"]) -> Tensor[(12, 12), "f32"]:
        return x * 0.5


@module(entry="apply")
class Bend:
    @func
    def apply(x: Tensor[(12, 12), "f32"]) -> Tensor[(12, 12), "f32"]:
        return tf.tanh(x) + tf.relu(x)


@module(entry="main", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Parent:
    first = Half
    second = Bend

    @func
    def main(x: Tensor[(12, 12), "f32"]) -> Tensor[(12, 12), "f32"]:
        return second(first(x)) - x
