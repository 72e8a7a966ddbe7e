from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget



@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("l",)) as th:
                v = tf.reshard(x, ((32, 32 @ th.l, 4), (4, 0, 1)), "rmem")
                s = tf.reshard(x, (32, 128), "smem")
                w = tf.reshard(s, ((32, 32 @ th.l, 4), (4, 0, 1)), "rmem")
                return tf.reshard(w, (32, 128), "gmem")
