from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 8), Topology("thread", 128)))
class M:
    @func
    def f(x: Tensor[(64, 32), "f32"], y: Tensor[(64, 32), "f32"], z: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), layout=(8,), names=("b",)) as mesh:
            d = 4
            e = d * 3
            dt = "f32"
            q = x
            w = tf.zeros(Tensor[(64, 32), dt])
            for i in range(0, 64, 8):
                r = x[i:i+8, :]
                w = tf.insert_slice(w, r, (i, 0))
            for j in range(0, 64, 8):
                r = x[j:j+8, :]
                w = tf.insert_slice(w, r, (j * 1, 0))
            for l in range(0, 16, 1):
                r = x[l, :]
                w = w + tf.reshape(r, (1, 32))
            for l2 in range(16):
                r = x[l2:l2+1, :] + x[l2:l2+1, :]
                r = r + tf.cast(l2, "f32")
                w = w + r
            n = mesh.b * d + e
            w = w + x[d:d+1,:] * tf.cast(d, "f32")
            return w + x[n:n+1,:], -x, n
