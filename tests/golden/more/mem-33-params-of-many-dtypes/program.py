from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class DTYPES:
    @func
    def f(a: Tensor[(33,), "bool"], b: Tensor[(33,), "i8"], c: Tensor[(33,), "i32"], d: Tensor[(33,), "i64"], e: Tensor[(33,), "bf16"]):
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            return tf.cast(a, "f32"), tf.cast(b, "f32"), tf.cast(c, "f32"), tf.cast(d, "f32"), tf.cast(e, "f32")
