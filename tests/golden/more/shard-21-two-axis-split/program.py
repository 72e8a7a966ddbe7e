from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 6), Topology("thread", 64)))
class S2:
    @func
    def f(x: Tensor[(192, 64), "f32"]) -> Tensor[(192, 64), "f32"]:
        with Mesh(("cta",), layout=(6,), names=("b",)) as c:
            with Mesh(("thread",), layout=(4, 16), names=("ty", "tx")) as th:
                y = tf.zeros(Tensor[(192, 64), "f32"])
                o = c.b * 32
                r = tf.reshard(x[o:o + 32, :], (32 @ th.ty, 64 @ th.tx), "rmem")
                z = tf.exp(r) - r * r
                return tf.insert_slice(y, tf.reshard(z, (32, 64), "gmem"), (o, 0))
