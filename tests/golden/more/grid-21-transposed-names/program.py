from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

ROWS, COLS, DEPTH = 640, 896, 192


@module(entry="prod", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 140), Topology("thread", 64)))
class PROD:
    @func
    def prod(lhs: Tensor[(ROWS, DEPTH), "f16"], rhs: Tensor[(DEPTH, COLS), "f16"]) -> Tensor[(ROWS, COLS), "f16"]:
        with Mesh(("cta",), layout=(10, 2, 7), names=("row", "half", "col")) as where:
            sheet = tf.zeros(Tensor[(ROWS, COLS), "f16"])
            r0 = where.row * 64
            c0 = where.col * 128
            total = tf.zeros(Tensor[(64, 128), "f32", "rmem"])
            for d in tf.tile(DEPTH, 48):
                left = tf.reshard(lhs[r0:r0 + 64, d], (64, 48), "smem")
                right = tf.reshard(rhs[d, c0:c0 + 128], (48, 128), "smem")
                total = total + tf.matmul(left, right, out_dtype="f32")
            return tf.insert_slice(sheet, tf.reshard(tf.cast(total, "f16"), (64, 128), "gmem"), (r0, c0))
