from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="drive", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 64)))
class CALLLOOP:
    @func
    def total(t: Tensor[(16, 256), "f32"]) -> Tensor[(16, 64), "f32"]:
        acc = tf.zeros(Tensor[(16, 64), "f32", "rmem"])
        for w in tf.tile(256, 64):
            acc = acc + tf.reshard(t[:, w], (16, 64), "rmem")
        return tf.reshard(acc, (16, 64), "gmem")

    @func
    def drive(x: Tensor[(64, 256), "f32"]) -> Tensor[(64, 64), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("b",)) as g:
            y = tf.zeros(Tensor[(64, 64), "f32"])
            o = g.b * 16
            return tf.insert_slice(y, total(tf.reshard(x[o:o + 16, :], (16, 256), "gmem")), (o, 0))
