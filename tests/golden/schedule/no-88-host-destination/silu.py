from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="run", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 2), Topology("amx", 1)))
class Host:
    @func
    def run(p: Tensor[(32, 32), "f32"], q: Tensor[(32, 32), "f32"], w: Tensor[(32,), "f32"], at: Tensor[(32,), "i32"]) -> Tensor[(32, 32), "f32"]:
        with Mesh((Topology("core", 1),), layout=(1,), names=("c",)) as core:
            r = tf.schedule((p, tf.empty(Tensor[(32, 32), "f32", (32, 32), "rmem"])), op=T.cpu_silu())
            return tf.reshard(r, (32, 32), "gmem")
