from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(8, 64), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=((4, 8), (1, 4)), names=("q", "o")) as th:
                p0 = tf.empty(Tensor[(32, 16), "bf16", (32, 16), "smem"])
                p1 = tf.empty(Tensor[(32, 16), "bf16", ((4, 8 @ th.o, 2, 4 @ th.q, 2), (128, 16, 8, 2, 1)), "rmem"])
                r = tf.schedule((p0, p1), op=T.ldmatrix())
                return r
