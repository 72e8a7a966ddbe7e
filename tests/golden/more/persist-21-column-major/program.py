from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

H, V, CREW = 6, 9, 20


@module(entry="walk", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", CREW), Topology("thread", 96)))
class COLUMNS:
    @func
    def walk(a: Tensor[(H * 32, 160), "f16"], b: Tensor[(160, V * 48), "f16"]) -> Tensor[(H * 32, V * 48), "f16"]:
        with Mesh(("cta",), layout=(CREW,), names=("who",)) as crew:
            page = tf.zeros(Tensor[(H * 32, V * 48), "f16"])
            for job in range(crew.who, H * V, CREW):
                y = (job % H) * 32
                x = (job // H) * 48
                lhs = tf.reshard(a[y:y + 32, :], (32, 160), "smem")
                rhs = tf.reshard(b[:, x:x + 48], (160, 48), "smem")
                val = tf.cast(tf.matmul(lhs, rhs, out_dtype="f32"), "f16")
                page = tf.insert_slice(page, tf.reshard(val, (32, 48), "gmem"), (y, x))
            return page
