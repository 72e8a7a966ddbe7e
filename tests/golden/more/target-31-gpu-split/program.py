from __future__ import annotations

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

NODES = Mesh((Topology("gpu", 8),), layout=(8,), names=("g",))


@module(entry="tp", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("gpu", 8), Topology("cta", 16)))
class TP:
    @func(mesh=NODES)
    def tp(x: Tensor[(32, 512), "bf16"], w: Tensor[(512, 1024 @ mesh.g), "bf16"], n: Tensor[(320, 5120 @ mesh.g), "i32"]):
        return tf.matmul(x, w), n + n
