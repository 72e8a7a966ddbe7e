from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="run", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 2), Topology("amx", 1)))
class Sites:
    @func
    def run(p: Tensor[(64, 64), "f32"]) -> Tensor[(64, 64), "f32"]:
        with Mesh(("core",), layout=(2,), names=("c",)) as core:
            out = tf.zeros(Tensor[(64, 64), "f32"])
            for k in range(core.c, 4, 2):
                r = k * 16
                t = tf.reshard(p[r:r + 16, 0:64], (16, 64), "rmem")
                u = tf.cast(tf.cast(t, "f16"), "f32") + t
                out = tf.insert_slice(out, tf.reshard(u, (16, 64), "gmem"), (r, 0))
            return out
