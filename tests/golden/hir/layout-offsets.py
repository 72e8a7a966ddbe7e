from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class LayoutOffsets:
    @func
    def run(x: Tensor[(64, 64), "bf16"]) -> Tensor[(64, 64), "bf16"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                o = 8
                a = tf.empty(Tensor[(64, 64), "bf16", (64, 64) + 4, "smem"])
                b = tf.schedule((x, a), op=T.copy())
                c = tf.reshard(b, (64, 64) + o | Swizzle(3, 4, 3), "smem")
                d = tf.reshard(c, ((64, 64) + 4) @ {B()}, "smem")
                e = tf.reshard(d, (Layout(((8, 8), 64), ((512, 64), 1)) + 4 | Swizzle(3, 4, 3)) @ {B()}, "smem")
                f = tf.reshard(e, Layout(((8, 8), 64), ((512, 64), 1)) @ {B()}, "smem")
                return tf.reshard(f, (64, 64), "gmem")
