from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 5), Topology("thread", 64)))
class UNEVEN2:
    @func
    def f(a: Tensor[(4 * 16, 64), "f32"], b: Tensor[(64, 13 * 8), "f32"]) -> Tensor[(4 * 16, 13 * 8), "f32"]:
        with Mesh(("cta",), layout=(5,), names=("me",)) as g:
            o = tf.zeros(Tensor[(4 * 16, 13 * 8), "f32"])
            for i in range(4):
                left = tf.reshard(a[i * 16:i * 16 + 16, :], (16, 64), "smem")
                for j in range(g.me, 13, 5):
                    right = tf.reshard(b[:, j * 8:j * 8 + 8], (64, 8), "smem")
                    o = tf.insert_slice(o, tf.reshard(tf.matmul(left, right), (16, 8), "gmem"), (i * 16, j * 8))
            return o
