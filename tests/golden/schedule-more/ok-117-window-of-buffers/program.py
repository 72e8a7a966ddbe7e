from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 64)))
class P:
    @func
    def run(x: Tensor[(16, 64), "f32"]) -> Tensor[(16, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(2, 32), names=("w", "t")) as th:
                i0 = tile.i * 8
                y = tf.zeros(Tensor[(16, 64), "f32"])
                xa = x[i0:i0 + 8, 0:64]
                with th[0, :] as a:
                    st = tf.empty(Tensor[(8, 64), "f32", (8, 64), "smem"])
                    s = tf.schedule((xa, st), op=T.copy_async())
                with th[1, :] as b:
                    st2 = tf.empty(Tensor[(8, 64), "f32", (8, 64), "smem"])
                    s2 = tf.schedule((xa, st2), op=T.copy())
                    g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                    o0 = tf.schedule((s[0:4, 0:64], g[0:4, 0:64]), op=T.copy())
                    g2 = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                    o1 = tf.schedule((s2, g2), op=T.copy())
                    y = tf.insert_slice(y, o0, (i0, 0))
                    y = tf.insert_slice(y, o1, (i0, 0))
                return y
