from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                a = tf.reshard(x, (32, 128) | Swizzle(3, 4, 3), "smem")
                b = tf.reshard(x, Layout((32, (4, 32)), (32, (1024, 1))) | Swizzle(3, 4, 3), "smem")
                c = tf.reshard(x, Layout((32, (8, 16)), (16, (512, 1))) | Swizzle(2, 4, 3), "smem")
                d = tf.reshard(x, Layout((32, (16, 8)), (8, (256, 1))) | Swizzle(1, 4, 3), "smem")
                ga = tf.reshard(a, (32, 128), "gmem")
                gb = tf.reshard(b, (32, 128), "gmem")
                gc = tf.reshard(c, (32, 128), "gmem")
                gd = tf.reshard(d, (32, 128), "gmem")
                return ga + gb + gc + gd
