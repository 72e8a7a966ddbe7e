from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                s = tf.reshard(x, (32, 128), "smem")
                a = tf.reduce(s, axes=(1,), kind="sum", keepdim=True)
                b = tf.reduce(x, axes=(1,), kind="max", keepdim=True)
                y = tf.reshard(a, (32, 1), "gmem") + b
                return y + x
