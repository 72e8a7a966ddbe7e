from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class CoordinateNames:
    @func
    def run(x: Tensor[(64, 64), "bf16"]) -> Tensor[(64, 64), "bf16"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                a = tile.i * 16
                z0 = tile.i
                z1 = tile.i
                w = th.w
                b = w * 2 + z1
                w = th.l
                return tf.insert_slice(x, x[a:a + 16, 0:64], (b, w))
