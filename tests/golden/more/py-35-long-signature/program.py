from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

D = 16


@module(
    entry="mix",
    target=CudaTarget("nvidia.h200_sxm"),
    topologies=(Topology("cta", 3), Topology("thread", 32),),
)
class MIX:
    @func
    def mix(
        p0: Tensor[(D, D), "f32"], p1: Tensor[(D, D), "f32"], p2: Tensor[(D, D), "f32"],
        p3: Tensor[(D, 1), "f32"],
        p4: Tensor[(1, D), "f32"],
    ) -> Tensor[(D, D), "f32"]:
        with Mesh(("cta",), layout=(3,), names=("only",)) as mesh:
            left = tf.add(p0, p1)
            right = tf.mul(left, p2)
            return tf.sub(tf.div(right, p3), p4)
