from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 128)))
class P:
    @func
    def run(x: Tensor[(64, 128), "f32"]):
        with Mesh(("cta", "thread"), layout=(2, 128), names=("c", "t")) as th:
            b = tf.empty(Tensor[(64, 128), "f32", ((2 @ th.c, 32, 128 @ th.t), (0, 1, 0)), "rmem"])
            v = tf.schedule((x, b), op=T.copy())
            rb = tf.empty(Tensor[(64, 1), "f32", ((2 @ th.c, 32, 1), (0, 1, 1)), "rmem"])
            w = tf.schedule((v, rb), op=T.reduce(axes=(1,), keepdim=True, kind=ReduceKind.SUM))
            e = tf.empty(Tensor[(64, 1), "f32", (64, 1)])
            return tf.schedule((w, e), op=T.copy())
