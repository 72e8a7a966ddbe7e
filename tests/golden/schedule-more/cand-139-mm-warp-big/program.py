from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class Sites:
    @func
    def run(p: Tensor[(32, 32), "bf16"], q: Tensor[(32, 16), "bf16"]) -> Tensor[(32, 16), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=((4, 8), (1, 4)), names=("q", "o")) as th:
                ps = tf.reshard(p, (32, 32), "rmem")
                qs = tf.reshard(q, (32, 16), "rmem")
                prod = tf.matmul(ps, qs, out_dtype="f32")
                return tf.reshard(prod, (32, 16), "gmem")
