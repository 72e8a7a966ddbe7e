from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

A = 0x40; B = 0b1_0000; C = 1_024
D = (A
     + B
     # a comment inside
     - 0o20)
NAME, *REST = "odd", 1, 2


@module(entry="f", target=CudaTarget(f"nvidia.{'h200'}_sxm"), topologies=(Topology("cta", len(REST)),))
class ODD:	# tab before this comment
    @func
    def f(x: Tensor[(D, B), "f32"], y: Tensor[(D, B), 'f32']) -> Tensor[(D, B), """f32"""]:
        with Mesh(("cta",), layout=(2,), names=("u",)) as g:

            t = (x + y); u = t * t

            # nothing
            return (u
                    - x)
