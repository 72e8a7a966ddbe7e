from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="move", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 33), Topology("thread", 128)))
class MOVE:
    @func
    def move(x: Tensor[(330, 128), "f16"]) -> Tensor[(330, 128), "f16"]:
        with Mesh(("cta",), layout=(33,), names=("b",)) as g:
            y = tf.zeros(Tensor[(330, 128), "f16"])
            o = g.b * 10
            s = tf.reshard(x[o:o + 10, :], (10, 128), "smem")
            r = tf.reshard(s, (10, 128), "rmem")
            return tf.insert_slice(y, tf.reshard(r, (10, 128), "gmem"), (o, 0))
