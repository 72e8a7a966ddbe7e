from tilefoundry.dsl import *
from tilefoundry.target import CpuTarget


@module(entry="run", target=CpuTarget(), topologies=(Topology("thread", 32),))
class P:
    @func
    def run(x: Tensor[(64, 64), "f32"]) -> Tensor[(64, 64), "f32"]:
        with Mesh(("thread",), layout=(32,), names=("t",)) as th:
            s = tf.empty(Tensor[(64, 64), "f32", (64, 64), "smem"])
            v = tf.schedule((x, s), op=T.copy_async())
            e = tf.empty(Tensor[(64, 64), "f32", (64, 64)])
            return tf.schedule((v, e), op=T.copy())
