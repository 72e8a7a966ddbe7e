from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 256)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(2, 4, 32), names=("g", "w", "l")) as th:
                with th[0, :, :] as one:
                    v = tf.reshard(x, ((4 @ one.w, 8, 32 @ one.l, 4), (0, 4, 0, 1)), "rmem")
                with th[1, :, :] as two:
                    y = tf.exp(v)
                    return tf.reshard(y, (32, 128), "gmem")
