from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

FULL = "nvidia-h200-sxm"
PARTS = FULL.split("-")
ID = PARTS[0] + "." + "_".join(PARTS[1:])
DTYPE = "{}{}".format("f", 8 * 4)
AXIS = "ABC".lower()[1]
COUNT = int(PARTS[1][1:]) // 50


@module(entry="f", target=CudaTarget(ID), topologies=(Topology("cta", COUNT),))
class STRINGS:
    @func
    def f(x: Tensor[(16, 16), DTYPE]):
        with Mesh(("cta",), layout=(COUNT,), names=(AXIS,)) as g:
            return x + x
