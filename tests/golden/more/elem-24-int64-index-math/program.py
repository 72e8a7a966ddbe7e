from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="ids", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 3),))
class IDS:
    @func
    def ids(p: Tensor[(60,), "i32"], q: Tensor[(60,), "i64"]):
        with Mesh(("cta",), layout=(3,), names=("z",)) as g:
            w = tf.cast(p, "i64")
            s = (w * 3 + q) % 17
            t = tf.minimum(s, q) - tf.maximum(w, q) // 2
            return tf.cast(t, "i32"), t == q
