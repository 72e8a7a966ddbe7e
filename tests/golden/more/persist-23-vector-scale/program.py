from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="scale", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 50), Topology("thread", 256)))
class SCALE:
    @func
    def scale(x: Tensor[(1000, 640), "f32"], s: Tensor[(1000, 1), "f32"]) -> Tensor[(1000, 640), "f32"]:
        with Mesh(("cta",), layout=(50,), names=("w",)) as g:
            y = tf.zeros(Tensor[(1000, 640), "f32"])
            for t in range(g.w, 250, 50):
                r = t * 4
                tile = tf.reshard(x[r:r + 4, :], (4, 640), "rmem")
                f = tf.reshard(s[r:r + 4, :], (4, 1), "rmem")
                y = tf.insert_slice(y, tf.reshard(tile * f, (4, 640), "gmem"), (r, 0))
            return y
