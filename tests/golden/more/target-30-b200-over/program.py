from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="f", target=CudaTarget("nvidia.b200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 64)))
class THREADS:
    @func
    def f(x: Tensor[(256000, 40000), "f32"], y: Tensor[(256000, 40000), "f32"]):
        r = tf.reshard(x, (256000, 40000), "rmem")
        s = tf.reshard(x, (256000, 40000), "smem")
        return r, s, x*y
