from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", 1), Topology("thread", 64)))
class Ramp:
    @func
    def run(x: Tensor[(256,), "f32"]) -> Tensor[(256,), "f32"]:
        with Mesh(("cta",), layout=(1,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(64,), names=("t",)) as th:
                ib = tf.empty(Tensor[(256,), "i64", ((64 @ th.t, 4), (0, 1)), "rmem"])
                ii = tf.schedule((ib,), op=T.arange(start=256, step=-1))
                ff = tf.cast(ii, dtype="f32")
                xb = tf.empty(Tensor[(256,), "f32", ((64 @ th.t, 4), (0, 1)), "rmem"])
                xx = tf.schedule((x, xb), op=T.copy())
                yy = ff * xx
                g = tf.empty(Tensor[(256,), "f32", (256,)])
                return tf.schedule((yy, g), op=T.copy())
