from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="zoo", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2),))
class ZOO:
    @func
    def zoo(x: Tensor[(50, 64), "f32"]):
        with Mesh(("cta",), layout=(2,), names=("u",)) as g:
            a = -x
            b = tf.abs(a)
            c = tf.log(b + 1.0)
            d = tf.rsqrt(b)
            e = tf.square(c)
            f = tf.ceil(d)
            h = tf.round(e)
            i = tf.tanh(f)
            j = tf.silu(h)
            k = tf.sigmoid(i)
            return (j + k, tf.softplus(k))
