from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 64)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta", "thread"), layout=(2, 64), names=("c", "t")) as both:
            s = tf.reshard(x, (32, 128), "smem")
            v = tf.reshard(s, ((32, 64 @ both.t, 2), (2, 0, 1)), "rmem")
            return tf.reshard(v + v, (32, 128), "gmem")
