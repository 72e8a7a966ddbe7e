from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 256)))
class P:
    @func
    def run(x: Tensor[(64, 64), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            e = tf.empty(Tensor[(64, 64), "f32", (64, 64)])
            return tf.schedule((x, e), op=T.copy())
