import tilefoundry.dsl as dsl
from tilefoundry.dsl import Mesh, Tensor, Topology, func, module, tf
from tilefoundry.target import CudaTarget as Cuda


@module(entry="f", target=Cuda("nvidia.h200_sxm"), topologies=(Topology("cta", 2),))
class NAMED:
    @func
    def f(x: Tensor[(10, 10), "f32"]):
        with Mesh(("cta",), layout=(2,), names=("u",)) as g:
            return tf.exp(x)
