from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> tuple[Tensor[(32, 128), "f32"], Tensor[(32, 128), "f32"]]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                a = tf.reshard(x, (32, 128), "smem")
                b = tf.reshard(a, (32, 128), "gmem")
                c = tf.reshard(x + x, (32, 128), "gmem")
                return b, c
