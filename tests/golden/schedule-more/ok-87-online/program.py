from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget



@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 128)))
class Online:
    @func
    def run(x: Tensor[(64, 512), "f32"]) -> Tensor[(64, 1), "f32"]:
        with Mesh(("cta",), layout=(4,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                i0 = tile.i * 16
                s = tf.zeros(Tensor[(16, 1), "f32", ((4 @ th.w, 4, 1), (4, 1, 0)), "rmem"])
                for k in tf.tile(512, 128):
                    b = tf.empty(Tensor[(16, 128), "f32", (4 @ th.w, 4, 32 @ th.l, 4), "rmem"])
                    v = tf.schedule((x[i0:i0 + 16, k], b), op=T.copy())
                    r = tf.reduce(v, axes=(1,), kind="sum", keepdim=True)
                    s = s + r
                g = tf.empty(Tensor[(16, 1), "f32", (16, 1)])
                o = tf.schedule((s, g), op=T.copy())
                y = tf.zeros(Tensor[(64, 1), "f32"])
                return tf.insert_slice(y, o, (i0, 0))
