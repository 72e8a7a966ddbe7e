from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class WindowBounds:
    @func
    def run(x: Tensor[(64, 64), "bf16"]) -> Tensor[(64, 64), "bf16"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                a = x[56:72, 0:64]
                b = x[-4:12, 0:64]
                c = x[0:80:2, 0:64]
                d = x[-1, 0:64]
                e = tf.insert_slice(x, a, (0, 0))
                f = tf.insert_slice(e, b, (16, 0))
                h = tf.insert_slice(f, c[0:8, 0:64], (32, 0))
                r = tile.i * 16
                k = x[r + 60:r + 76, 0:64]
                return tf.insert_slice(tf.insert_slice(h, tf.reshape(d, (1, 64)), (63, 0)), k, (0, 0))
