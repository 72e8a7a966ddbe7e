from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="mm", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 200),))
class ODD:
    @func
    def mm(a: Tensor[(600, 77), "f32"], b: Tensor[(77, 390), "f32"]) -> Tensor[(600, 390), "f32"]:
        with Mesh(("cta",), layout=(20, 10), names=("u", "v")) as g:
            c = tf.zeros(Tensor[(600, 390), "f32"])
            y = g.u * 30
            x = g.v * 39
            return tf.insert_slice(c, tf.matmul(a[y:y + 30, :], b[:, x:x + 39]), (y, x))
