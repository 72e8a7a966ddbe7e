from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

G, NN, NM = 2, 7, 6
BAND = G * NN
WORK = NM * NN
CREW = 14


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", CREW), Topology("thread", 128)))
class BANDS:
    @func
    def go(a: Tensor[(NM * 48, 64), "bf16"], b: Tensor[(64, NN * 80), "bf16"]) -> Tensor[(NM * 48, NN * 80), "f32"]:
        with Mesh(("cta",), layout=(CREW,), names=("id",)) as g:
            res = tf.zeros(Tensor[(NM * 48, NN * 80), "f32"])
            for t in range(g.id, WORK, CREW):
                mo = ((t // BAND) * G + t % G) * 48
                no = ((t // G) % NN) * 80
                p = tf.matmul(tf.reshard(a[mo:mo + 48, :], (48, 64), "smem"), tf.reshard(b[:, no:no + 80], (64, 80), "smem"), out_dtype="f32")
                res = tf.insert_slice(res, tf.reshard(p, (48, 80), "gmem"), (mo, no))
            return res
