from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                a = th.w * 8
                b = a + 3
                c = b - a
                e = c // 3
                f = e % 7
                y = tf.zeros(Tensor[(32, 128), "f32"])
                for k in range(4):
                    z = k * 8
                    q = z + b
                    d = q - b
                    s = tf.reshard(x[z:z + 8, 0:128], (8, 128), "smem")
                    y = tf.insert_slice(y, tf.reshard(s, (8, 128), "gmem"), (d, f - f))
                return y
