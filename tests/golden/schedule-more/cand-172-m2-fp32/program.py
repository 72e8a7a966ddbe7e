from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="run", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 2), Topology("amx", 1)))
class Sites:
    @func
    def run(p: Tensor[(32, 32), "f32"], q: Tensor[(32, 32), "f32"]) -> Tensor[(32, 32), "f32"]:
        with Mesh(("core",), layout=(2,), names=("c",)) as core:
            a = tf.matmul(p, q)
            return tf.transpose(a, (1, 0))
