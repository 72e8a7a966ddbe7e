from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

T = DimVar("T", lo=1, hi=2048)


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class CEIL:
    @func
    def f(x: Tensor[(T, 48), "bf16"], w: Tensor[(48, 96), "bf16"]) -> Tensor[(T, 96), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("u",)) as g:
            return tf.matmul(x, w, out_dtype="f32") * 2.0
