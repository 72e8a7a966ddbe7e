from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                s = tf.empty(Tensor[(32, 128), "f32", (32, 128), "smem"])
                a = tf.schedule((x, s), op=T.copy_async())
                v = tf.reshard(a, ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), "rmem")
                d = tf.empty(Tensor[(32, 128), "f32", ((4 @ th.w, 8, 32 @ th.l, 4), (0, 4, 0, 1)), "rmem"])
                e = tf.schedule((v, d), op=T.unary(kind=UnaryKind.EXP))
                f = e * v
                return tf.reshard(f, (32, 128), "gmem")
