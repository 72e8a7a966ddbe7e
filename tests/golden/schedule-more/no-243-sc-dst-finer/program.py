from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 256)))
class P:
    @func
    def run(x: Tensor[(64, 64), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(2, 128), names=("g", "l")) as blk:
                with Mesh(blk[0:1, :], layout=(4, 8, 4), names=("w", "h", "l")) as p:
                    b = tf.empty(Tensor[(64, 64), "f32", ((4 @ p.w, 16, 8 @ p.h, 2, 4 @ p.l), (0, 2, 0, 1, 0)), "rmem"])
                v = tf.schedule((x, b), op=T.copy())
                e = tf.empty(Tensor[(64, 64), "f32", (64, 64)])
                return tf.schedule((v, e), op=T.copy())
