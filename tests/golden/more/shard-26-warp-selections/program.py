from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 64)))
class WARPS:
    @func
    def f(x: Tensor[(128, 32), "f32"]):
        with Mesh(("cta",), layout=(4,), names=("b",)) as c:
            with Mesh(("thread",), layout=(2, 32), names=("w", "l")) as th:
                o = c.b * 32
                with th[0, :] as first:
                    p = tf.exp(tf.reshard(x[o:o + 32, :], (32 @ first.l, 32), "rmem"))
                    ps = tf.reshard(p, (32, 32), "smem")
                with th[1, :] as second:
                    q = tf.reshard(ps, (32 @ second.l, 32), "rmem") + 1.0
                    qs = tf.reshard(q, (32, 32), "gmem")
                return qs
