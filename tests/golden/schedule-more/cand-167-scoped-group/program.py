from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                with Mesh(th[1:3, :], layout=(2, 8, 4), names=("g", "hi", "lo")) as sub:
                    v = tf.reshard(x, ((2 @ sub.g, 16, 8 @ sub.hi, 4 @ sub.lo, 4), (0, 4, 0, 0, 1)), "rmem")
                    y = tf.exp(v)
                    return tf.reshard(y, (32, 128), "gmem")
