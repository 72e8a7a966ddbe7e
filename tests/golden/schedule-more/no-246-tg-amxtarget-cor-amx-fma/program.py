from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="run", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 2), Topology("amx", 1)))
class P:
    @func
    def run(x: Tensor[(64, 64), "f32"]):
        with Mesh(("core",), layout=(2,), names=("i",)) as tile:
            e = tf.empty(Tensor[(64, 64), "f32", (64, 64)])
            return tf.schedule((x, e), op=T.amx_fma16())
