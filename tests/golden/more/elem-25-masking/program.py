from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="mask", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 16), Topology("thread", 128)))
class MASK:
    @func
    def mask(x: Tensor[(256, 128), "bf16"], y: Tensor[(256, 128), "bf16"]) -> Tensor[(256, 128), "bf16"]:
        with Mesh(("cta",), layout=(16,), names=("b",)) as g:
            out = tf.zeros(Tensor[(256, 128), "bf16"])
            o = g.b * 16
            xs = tf.reshard(x[o:o + 16, :], (16, 128), "rmem")
            ys = tf.reshard(y[o:o + 16, :], (16, 128), "rmem")
            keep = tf.logical_and(xs > ys, xs != ys)
            z = tf.where(keep, tf.exp(xs), tf.relu(ys))
            return tf.insert_slice(out, tf.reshard(z, (16, 128), "gmem"), (o, 0))
