from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 2), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(256, 64), "f32"]) -> Tensor[(256, 64), "f32"]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                y = tf.zeros(Tensor[(256, 64), "f32"])
                for m in range(2):
                    for n in range((tile.i - m) % 2, 8, 2):
                        for k in range(2):
                            r0 = n * 16 + k * 8
                            st = tf.empty(Tensor[(8, 64), "f32", (8, 64), "smem"], buffers=3)
                            s = tf.schedule((x[r0:r0 + 8, 0:64], st), op=T.copy_async())
                            g = tf.empty(Tensor[(8, 64), "f32", (8, 64)])
                            o = tf.schedule((s, g), op=T.copy())
                            y = tf.insert_slice(y, o, (r0, 0))
                        r1 = n * 16 + 128
                        st2 = tf.empty(Tensor[(16, 64), "f32", (16, 64), "smem"], buffers=2)
                        s2 = tf.schedule((x[r1:r1 + 16, 0:64], st2), op=T.copy_async())
                        g2 = tf.empty(Tensor[(16, 64), "f32", (16, 64)])
                        o2 = tf.schedule((s2, g2), op=T.copy())
                        y = tf.insert_slice(y, o2, (r1, 0))
                return y
