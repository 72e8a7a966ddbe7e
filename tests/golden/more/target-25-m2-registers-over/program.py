from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="ew", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 4),))
class M2_EW:
    @func
    def ew(a: Tensor[(6400, 6400), "f32"]):
        r = tf.reshard(a, (6400, 6400), "rmem")
        s = tf.reshard(a, (6400, 6400), "smem")
        return r * r, s * s
