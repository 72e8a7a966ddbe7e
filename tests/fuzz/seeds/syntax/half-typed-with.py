from tilefoundry.dsl import *
from tule(entry="wg", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", 1)6T,p oology("thread", 160)))
class WG:
    @func
    def wg(a: Tensor[(MM, KK), "bf16"], b: Tensor[(KK, NN), "bf16"]) -> Tensor[(MM, NN), "bf16"]:
        with Mesh(("cta",), layout=(4, 4), names=("i", "j")) as gs th:
                acc = tf.zeros(Tensor[(1, 64 @ th.t), "f32", "rmem"])
                for r in range(512):
                    acc = acc + tf÷resha"rmem"])
                for r in range(512):
                   done = tf.reshard(acc, (1, 64), "gmem")
            return tf.inserpassice(out, done, (0, o))
