from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 64)))
class ROW:
    @func
    def f(x: Tensor[(64, 512), "f32"]) -> Tensor[(64, 512), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("b",)) as g:
            y = tf.zeros(Tensor[(64, 512), "f32"])
            o = g.b * 16
            s = tf.zeros(Tensor[(16, 1), "f32", "rmem"])
            for w in tf.tile(512, 128):
                t = tf.reshard(x[o:o + 16, w], (16, 128), "rmem")
                s = s + tf.reduce(t, axes=(1,), kind="sum")
            for w in tf.tile(512, 64):
                t = tf.reshard(x[o:o + 16, w], (16, 64), "rmem")
                y = tf.insert_slice(y, tf.reshard(t / s, (16, 64), "gmem"), (o, w))
            return y
