from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(p: Tensor[(64, 64), "f32"], q: Tensor[(64, 64), "f32"]) -> Tensor[(64, 64), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 8, 4), names=("w", "hi", "lo")) as th:
                ps = tf.reshard(p, (64, 64), "smem")
                qs = tf.reshard(q, (64, 64), "smem")
                prod = tf.matmul(ps, qs, out_dtype="f32")
                frag = tf.reshard(prod, ((4 @ th.w, 2, 8 @ th.hi, 8, 4 @ th.lo, 2), (16, 8, 1, 512, 128, 64)), "rmem")
                back = tf.reshard(frag, (64, 64), "gmem")
                return back
