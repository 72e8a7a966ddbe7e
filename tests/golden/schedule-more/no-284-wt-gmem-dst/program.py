from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(64, 64), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                s = tf.empty(Tensor[(64, 64), "bf16", (64, 64), "smem"])
                d = tf.empty(Tensor[(128, 128), "bf16", (128, 128)])
                return tf.schedule((s, d[64:128, 64:128]), op=T.copy_async_tensor())
