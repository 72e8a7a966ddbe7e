from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

@module(entry="bmm", target=CudaTarget("nvidia.b200_sxm"), topologies=(Topology("cta", 296), Topology("thread", 128)))
class BMM:
    @func
    def bmm(a: Tensor[(296, 64, 128), "bf16"], b: Tensor[(296, 128, 96), "bf16"]) -> Tensor[(296, 64, 96), "f32"]:
        with Mesh(("cta",), layout=(296,), names=("n",)) as g:
            c = tf.zeros(Tensor[(296, 64, 96), "f32"])
            t = tf.matmul(a[g.n:g.n + 1, :, :], b[g.n:g.n + 1, :, :], out_dtype="f32")
            return tf.insert_slice(c, t, (g.n, 0, 0))
