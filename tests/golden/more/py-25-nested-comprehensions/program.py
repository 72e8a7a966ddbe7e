from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

SIZES = {name: i * 16 for i, name in enumerate(("a", "b", "c"), start=1)}
ORDER = sorted(SIZES, key=lambda n: -SIZES[n])
TABLE = [[r * c for c in range(1, 4)] for r in range(1, 4)]
FLAT = [v for row in TABLE for v in row if v % 2 == 0]
UNIQUE = sorted({v for v in FLAT})
M = SIZES[ORDER[0]]
N = sum(x * y for x, y in zip(UNIQUE, (1, 2, 3)))
CREW = len(UNIQUE)


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", CREW),))
class COMPS:
    @func
    def f(x: Tensor[(M, N), "f32"]):
        with Mesh(("cta",), layout=(CREW,), names=("u",)) as g:
            return tf.softmax(x, axis=1)
