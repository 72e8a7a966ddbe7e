from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="ew", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 4), Topology("amx", 1)))
class M2_EW:
    @func
    def ew(a: Tensor[(640, 64), "f32"], h: Tensor[(640, 64), "f16"]):
        with Mesh(("core",), layout=(4,), names=("c",)) as g:
            i = g.c * 160
            x = tf.exp(a[i:i+160, :])
            y = h[i:i+160, :] * h[i:i+160, :]
            return x, y
