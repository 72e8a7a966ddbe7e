from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget



@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class G:
    @func
    def run(x: Tensor[(64, 64), "bf16"], ix: Tensor[(8,), "i32"]) -> Tensor[(8, 64), "bf16"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                b = tf.empty(Tensor[(8, 64), "bf16", (8, 64), "smem"])
                v = tf.schedule((x, b, ix), op=T.copy_async())
                g = tf.empty(Tensor[(8, 64), "bf16", (8, 64)])
                return tf.schedule((v, g), op=T.copy())
