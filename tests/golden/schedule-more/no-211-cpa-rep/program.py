from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(8, 64), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                p0 = tf.empty(Tensor[(64, 64), "bf16", "gmem"])
                p1 = tf.empty(Tensor[(64, 64), "bf16", (64, 64), "smem"])
                r = tf.schedule((p0, p1), op=T.copy_async(), repeat=(2, 1))
                return r
