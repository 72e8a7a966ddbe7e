from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class PositionalKinds:
    @func
    def run(x: Tensor[(64, 64), "bf16"]) -> Tensor[(64, 64), "bf16"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                v = tf.reshard(x, ((4 @ th.w, 16, 32 @ th.l, 2), (0, 2, 0, 1)), "rmem")
                a = tf.unary(v, UnaryKind.LOG2)
                b = tf.unary(a, "exp2")
                c = tf.binary(b, a, BinaryKind.MAX)
                d = tf.binary(c, v, "mul")
                e = tf.unary(d, UnaryKind.SQUARE)
                f = tf.reduce(e, (1,), True, ReduceKind.MAX)
                return tf.reshard(e + f, (64, 64), "gmem")
