from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 128)))
class PAD:
    @func
    def f(x: Tensor[(128, 64), "f32"]) -> Tensor[(128, 64), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("b",)) as g:
            y = tf.zeros(Tensor[(128, 64), "f32"])
            o = g.b * 32
            s = tf.reshard(x[o:o + 32, :], ((32, 64), (65, 1)), "smem")
            t = tf.transpose(s, (1, 0))
            u = tf.transpose(t, (1, 0))
            return tf.insert_slice(y, tf.reshard(u, (32, 64), "gmem"), (o, 0))
