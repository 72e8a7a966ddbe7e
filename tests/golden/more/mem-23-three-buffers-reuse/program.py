from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 60),))
class THREE:
    @func
    def f(a: Tensor[(3, 40), "f32"], b: Tensor[(4, 40), "f32"], c: Tensor[(5, 40), "f32"]) -> Tensor[(3, 4, 5, 40), "f32"]:
        with Mesh(("cta",), layout=(3, 4, 5), names=("i", "j", "k")) as g:
            y = tf.zeros(Tensor[(3, 4, 5, 40), "f32"])
            p = a[g.i:g.i + 1, :] * b[g.j:g.j + 1, :]
            q = p + c[g.k:g.k + 1, :]
            return tf.insert_slice(y, tf.reshape(q, (1, 1, 1, 40)), (g.i, g.j, g.k, 0))
