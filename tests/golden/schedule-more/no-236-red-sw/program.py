from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1), Topology("thread", 32)))
class P:
    @func
    def run(x: Tensor[(8, 64), "f32"]):
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                p0 = tf.empty(Tensor[(8, 64), "f32", Layout((8, 64), (64, 1)) | Swizzle(3, 4, 3), "smem"])
                p1 = tf.empty(Tensor[(8, 1), "f32", ((8, 1), (1, 1)) @ {B()}, "rmem"])
                r = tf.schedule((p0, p1), op=T.reduce(axes=(1,), keepdim=True, kind=ReduceKind.SUM))
                return r
