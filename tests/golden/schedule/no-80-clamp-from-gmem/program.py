from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class Small:
    @func
    def run(x: Tensor[(32, 8), "f32"], y: Tensor[(32, 8), "f32"]) -> Tensor[(32, 8), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                xr = tf.schedule((x, tf.empty(Tensor[(32, 8), "f32", (32 @ th.t, 8), "rmem"])), op=T.copy())
                yr = tf.schedule((y, tf.empty(Tensor[(32, 8), "f32", (32 @ th.t, 8), "rmem"])), op=T.copy())
                r = tf.schedule((x, tf.empty(Tensor[(32, 8), "f32", (32 @ th.t, 8), "rmem"])), op=T.clamp(min_val=0.0, max_val=1.0))
                return tf.schedule((r, tf.empty(Tensor[(32, 8), "f32"])), op=T.copy())
