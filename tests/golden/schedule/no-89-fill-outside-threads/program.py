from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class Small:
    @func
    def run(x: Tensor[(32, 8), "f32"]) -> Tensor[(32, 8), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            r = tf.schedule((tf.empty(Tensor[(32, 8), "f32", (32, 8), "smem"]), 1.0), op=T.fill())
            return tf.schedule((r, tf.empty(Tensor[(32, 8), "f32"])), op=T.copy())
