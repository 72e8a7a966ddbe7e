from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

R, C, BLK = 32, 1024, 128


@module(entry="online", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", R // 4), Topology("thread", 128)))
class ONLINE:
    @func
    def online(x: Tensor[(R, C), "f32"]) -> Tensor[(R, 1), "f32"]:
        with Mesh(("cta",), layout=(R // 4,), names=("r",)) as g:
            res = tf.zeros(Tensor[(R, 1), "f32"])
            at = g.r * 4
            top = tf.zeros(Tensor[(4, 1), "f32", "rmem"])
            den = tf.zeros(Tensor[(4, 1), "f32", "rmem"])
            for c in tf.tile(C, BLK):
                t = tf.reshard(x[at:at + 4, c], (4, BLK), "rmem")
                new = tf.maximum(top, tf.reduce(t, axes=(1,), kind="max"))
                den = den * tf.exp(top - new) + tf.reduce(tf.exp(t - new), axes=(1,), kind="sum")
                top = new
            return tf.insert_slice(res, tf.reshard(den, (4, 1), "gmem"), (at, 0))
