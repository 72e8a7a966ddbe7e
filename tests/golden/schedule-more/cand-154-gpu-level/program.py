from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("gpu", 2), Topology("cta", 2), Topology("thread", 64)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("gpu",), layout=(2,), names=("d",)) as gpu:
            a = x + x
            with Mesh(("cta",), layout=(2,), names=("c",)) as cta:
                b = tf.reshard(a, (32, 128), "smem")
                with Mesh(("thread",), layout=(64,), names=("t",)) as th:
                    return tf.reshard(b, (32, 128), "gmem")
