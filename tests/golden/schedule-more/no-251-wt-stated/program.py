from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(128, 128), "bf16", (128, 128)]):
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                d = tf.empty(Tensor[(64, 64), "bf16", (64, 64), "smem"])
                r = tf.schedule((x[64:128, 64:128], d), op=T.copy_async_tensor())
                e = tf.empty(Tensor[(64, 64), "bf16", (64, 64)])
                return tf.schedule((r, e), op=T.copy())
