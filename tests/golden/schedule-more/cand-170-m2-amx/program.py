from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="run", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 2), Topology("amx", 1)))
class Sites:
    @func
    def run(p: Tensor[(32, 1), "f16"], q: Tensor[(1, 32), "f16"]) -> Tensor[(32, 32), "f32"]:
        with Mesh(("core",), layout=(2,), names=("half",)) as lv:
            with Mesh(("amx",), layout=(1,), names=("u",)) as am:
                ps = tf.reshard(p, (32, 1), "rmem")
                qs = tf.reshard(q, (1, 32), "rmem")
                prod = tf.matmul(ps, qs, out_dtype="f32")
                s = tf.exp(prod)
                return tf.reshard(s, (32, 32), "gmem")
