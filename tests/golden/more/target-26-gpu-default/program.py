from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("gpu", 8), Topology("cta", 400), Topology("thread", 64)))
class THREADS:
    @func
    def f(x: Tensor[(256, 40), "f32"]):
        s = tf.reshard(x, (256, 40), "smem")
        e = tf.exp(s)
        n = tf.cast(e, "i32")
        return n + n, e
