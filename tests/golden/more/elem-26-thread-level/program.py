from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 10), Topology("thread", 32)))
class PT:
    @func
    def f(x: Tensor[(320, 96), "f32"]) -> Tensor[(320, 96), "f32"]:
        with Mesh(("cta",), layout=(10,), names=("b",)) as c:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                y = tf.zeros(Tensor[(320, 96), "f32"])
                o = c.b * 32
                r = tf.reshard(x[o:o + 32, :], (32 @ th.t, 96), "rmem")
                return tf.insert_slice(y, tf.reshard(tf.tanh(r) + r, (32, 96), "gmem"), (o, 0))
