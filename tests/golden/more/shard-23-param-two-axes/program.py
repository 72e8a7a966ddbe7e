from __future__ import annotations

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 12),), layout=(3, 4), names=("i", "j"))


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 12),))
class P2:
    @func(mesh=G)
    def f(a: Tensor[(96 @ mesh.i, 64), "bf16"], b: Tensor[(64, 128 @ mesh.j), "bf16"]):
        return tf.matmul(a, b, out_dtype="f32")
