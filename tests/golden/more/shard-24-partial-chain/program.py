from __future__ import annotations

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 4),), layout=(4,), names=("k",))


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class PC:
    @func(mesh=G)
    def f(a: Tensor[(16, 128 @ mesh.k), "f32"], b: Tensor[(128 @ mesh.k, 24), "f32"], c: Tensor[(128 @ mesh.k, 24), "f32"]):
        s = tf.matmul(a, b) + tf.matmul(a, c)
        return tf.relu(tf.reshard(s, (16, 24) @ {B()}))
