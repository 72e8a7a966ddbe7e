from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class Small:
    @func
    def run(x: Tensor[(16, 16), "bf16"]) -> Tensor[(16, 16), "bf16"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=((4, 8), (1, 4)), names=("q", "o")) as th:
                q = tf.empty(Tensor[(16, 16), "bf16", (16, 16), "smem"])
                s = tf.schedule((x, q), op=T.copy_async())
                f = tf.empty(Tensor[(16, 16), "bf16", ((2, 8 @ th.o, 2, 4 @ th.q, 2), (128, 16, 8, 2, 1)), "rmem"])
                r = tf.schedule((s, f), op=T.ldmatrix())
                g = tf.empty(Tensor[(16, 16), "bf16", (16, 16)])
                return tf.schedule((r, g), op=T.copy())
