from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 12), Topology("thread", 128)))
class CREW2D:
    @func
    def go(a: Tensor[(384, 96), "bf16"], b: Tensor[(96, 512), "bf16"]) -> Tensor[(384, 512), "bf16"]:
        with Mesh(("cta",), layout=(3, 4), names=("y", "x")) as g:
            res = tf.zeros(Tensor[(384, 512), "bf16"])
            for i in range(g.y, 6, 3):
                for j in range(g.x, 8, 4):
                    at = tf.reshard(a[i * 64:i * 64 + 64, :], (64, 96), "smem")
                    bt = tf.reshard(b[:, j * 64:j * 64 + 64], (96, 64), "smem")
                    v = tf.cast(tf.matmul(at, bt, out_dtype="f32"), "bf16")
                    res = tf.insert_slice(res, tf.reshard(v, (64, 64), "gmem"), (i * 64, j * 64))
            return res
