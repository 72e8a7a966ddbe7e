from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class Sites:
    @func
    def run(x: Tensor[(32, 128), "f32"]) -> Tensor[(32, 128), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                a = tf.reshard(x, Layout((32, (4, 32)), (32, (1024, 1))) | Swizzle(3, 4, 3), "smem")
                b = tf.reshard(x[0:32, 64:128], (32, 64), "smem")
                c = tf.reshard(x[0:16, 4:36], (16, 32) , "smem")
                d = tf.reshard(x[0:32, 0:128:2], (32, 64), "smem")
                e = tf.reshard(x, (32, 128), "smem")
                o = tf.insert_slice(tf.reshard(a, (32, 128), "gmem"), tf.reshard(b, (32, 64), "gmem"), (0, 0))
                o2 = tf.insert_slice(o, tf.reshard(c, (16, 32), "gmem"), (0, 0))
                o3 = tf.insert_slice(o2, tf.reshard(d, (32, 64), "gmem"), (0, 0))
                return tf.insert_slice(o3, tf.reshard(e, (32, 128), "gmem"), (0, 0))
