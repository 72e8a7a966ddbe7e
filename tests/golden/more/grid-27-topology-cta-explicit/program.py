from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="mm", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 6), Topology("thread", 32)))
class SMALL:
    @func
    def mm(a: Tensor[(48, 64), "bf16"], b: Tensor[(64, 48), "bf16"]) -> Tensor[(48, 48), "bf16"]:
        with Mesh(("cta",), layout=(3, 2), names=("p", "q")) as g:
            c = tf.zeros(Tensor[(48, 48), "bf16"])
            i = g.p * 16
            j = g.q * 24
            t = tf.cast(tf.matmul(a[i:i + 16, :], b[:, j:j + 24], out_dtype="f32"), "bf16")
            return tf.insert_slice(c, t, (i, j))
