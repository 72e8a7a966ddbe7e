from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 64)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(8,), names=("c",)) as cta:
            with cta[2:6] as some:
                a = tf.reshard(x, (32, 128), "smem")
                b = a + a
                return tf.reshard(b, (32, 128), "gmem")
