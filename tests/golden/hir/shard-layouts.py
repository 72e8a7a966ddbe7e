from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 128)))
class ShardLayouts:
    @func
    def run(x: Tensor[(64, 64), "bf16"]) -> Tensor[(64, 64), "bf16"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(4, 32), names=("w", "l")) as th:
                sl = ShardLayout(layout=Layout((4, 16, 32, 2), (0, 2, 0, 1)), attrs=(S(0), S(2)), mesh=th)
                a = tf.reshard(x, sl, "rmem")
                b = tf.empty(Tensor[(64, 64), "bf16", ShardLayout(layout=ComposedLayout(inner=None, offset=4, outer=Layout((4, 16, 32, 2), (0, 2, 0, 1))), attrs=(S(0), S(2)), mesh=th), "rmem"])
                c = tf.schedule((a, b), op=T.copy())
                d = tf.reshard(c, ShardLayout(Layout((64, 64), (64, 1)), (B(), B()), th), "smem")
                e = tf.reshard(d, ShardLayout(layout=Layout((4, 16, 64), (0, 64, 1)), attrs=(S(0), P("sum")), mesh=Mesh((Topology("thread", 128),), layout=(4, 32), names=("w", "l"))), "rmem")
                with th[1:3, :] as hf:
                    f = tf.reshard(d, ShardLayout(layout=Layout((2, 32, 32, 2), (0, 2, 0, 1)), attrs=(S(0), S(2)), mesh=Mesh((Topology("thread", 128),), layout=ComposedLayout(inner=None, offset=32, outer=Layout((2, 32), (32, 1))), names=("w", "l"))), "rmem")
                    h = tf.reshard(f, (64, 64), "gmem")
                return h + tf.reshard(e, (64, 64), "gmem")
