from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as mesh:
            w = tf.zeros(Tensor[(64, 32), "f32"])
            s = mesh.b * 2
            for i in range(0, 4):
                w = w + x[s + i : s + i + 1, :]
                w = w + x[i * 2 + s : i * 2 + s + 1, :]
                w = w + x[(s + i) * 2 : 2 * (s + i) + 1, :]
                w = w + x[(s + i) // 2 + 3: (s + i) // 2 + 4, :]
                w = w + x[(mesh.b + i) % 4 : (mesh.b + i) % 4 + 1, :]
                w = w + x[mesh.b : mesh.b + 1, :]
                w = w + x[mesh.b * 8 + 8 - 4 : mesh.b * 8 + 8, 0:1][0:1, :]
            return w
