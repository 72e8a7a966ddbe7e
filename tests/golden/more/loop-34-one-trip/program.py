from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class ONE:
    @func
    def f(x: Tensor[(32, 64), "f32"]) -> Tensor[(32, 64), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("u",)) as g:
            y = tf.zeros(Tensor[(32, 64), "f32"])
            for i in tf.tile(32, 8):
                for j in tf.tile(64, 64):
                    y = tf.insert_slice(y, tf.exp(x[i, j]), (i, j))
            return y
