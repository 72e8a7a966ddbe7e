from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="run", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 2), Topology("amx", 1)))
class Outer:
    @func
    def run(column: Tensor[(32, 1), "f16"], row: Tensor[(1, 32), "f16"]) -> Tensor[(32, 32), "f32"]:
        with Mesh((Topology("core", 1),), layout=(1,), names=("c",)) as core:
            with Mesh((Topology("amx", 1),), layout=(1,), names=("a",)) as amx:
                y = tf.schedule((column, tf.empty(Tensor[(32, 1), "f16", (32, 1), "rmem"])), op=T.amx_load_y())
                x = tf.schedule((row, tf.empty(Tensor[(1, 32), "f16", (1, 32), "rmem"])), op=T.amx_load_x())
                z = tf.zeros(Tensor[(32, 32), "f32", Layout((32, (16, 2)), (32, (1, 16))), "rmem"])
                acc = tf.schedule((z, y, x), op=T.amx_fma16())
                return tf.schedule((acc, tf.empty(Tensor[(32, 32), "f32"])), op=T.amx_store())
