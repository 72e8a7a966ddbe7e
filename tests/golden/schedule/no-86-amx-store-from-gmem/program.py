from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="run", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 2), Topology("amx", 1)))
class Apple:
    @func
    def run(p: Tensor[(32, 32), "f32"], c: Tensor[(32, 1), "f16"], r: Tensor[(1, 32), "f16"]) -> Tensor[(32, 32), "f32"]:
        with Mesh((Topology("core", 1),), layout=(1,), names=("c",)) as core:
            with Mesh((Topology("amx", 1),), layout=(1,), names=("a",)) as amx:
                return tf.schedule((p, tf.empty(Tensor[(32, 32), "f32"])), op=T.amx_store())
