from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 5), Topology("thread", 128)))
class TREE:
    @func
    def f(x: Tensor[(40, 64), "f32"]) -> Tensor[(40, 16), "f32"]:
        with Mesh(("cta",), layout=(5,), names=("b",)) as g:
            y = tf.zeros(Tensor[(40, 16), "f32"])
            o = g.b * 8
            s = tf.reshard(x[o:o + 8, :], (8, 64), "smem")
            h = s[:, 0:32] + s[:, 32:64]
            q = h[:, 0:16] + h[:, 16:32]
            return tf.insert_slice(y, tf.reshard(q, (8, 16), "gmem"), (o, 0))
