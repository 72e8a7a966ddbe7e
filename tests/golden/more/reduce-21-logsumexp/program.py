from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="lse", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 40), Topology("thread", 128)))
class LSE:
    @func
    def lse(x: Tensor[(400, 2000), "f32"]) -> Tensor[(400, 1), "f32"]:
        with Mesh(("cta",), layout=(40,), names=("b",)) as g:
            out = tf.zeros(Tensor[(400, 1), "f32"])
            o = g.b * 10
            t = tf.reshard(x[o:o + 10, :], (10, 2000), "rmem")
            m = tf.reduce(t, axes=(1,), kind="max")
            s = tf.reduce(tf.exp(t - m), axes=(1,), kind="sum")
            return tf.insert_slice(out, tf.reshard(tf.log(s) + m, (10, 1), "gmem"), (o, 0))
