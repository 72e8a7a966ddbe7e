from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class Small:
    @func
    def run(x: Tensor[(8, 8), "f32"]) -> Tensor[(8, 8), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                a = tf.schedule((x, tf.empty(Tensor[(8, 8), "f32", (8, 8), "rmem"])), op=T.copy())
                b = tf.schedule((a, tf.empty(Tensor[(8, 8), "f32", ((8, 8), (1, 8)), "rmem"])), op=T.relu())
                return tf.schedule((b, tf.empty(Tensor[(8, 8), "f32"])), op=T.copy())
