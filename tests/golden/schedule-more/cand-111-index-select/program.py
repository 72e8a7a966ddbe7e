from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"], ix: Tensor[(8,), "i64"]) -> Tensor[(8, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                s = tf.index_select(x, ix, dim=0)
                a = tf.reshard(x, (32, 128), "smem")
                b = tf.index_select(a, tf.reshard(ix, (8,), "smem"), dim=0)
                c = tf.index_select(x, ix, dim=0, fill_value=0.0)
                return s + tf.reshard(b, (8, 128), "gmem") + c
