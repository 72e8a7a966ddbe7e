from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

MODE = "wide"
match MODE:
    case "wide":
        COLS = 96
    case _:
        COLS = 32

try:
    ROWS = int("48")
except ValueError:
    ROWS = 1

VALUES = []
for i in range(10):
    if i == 3:
        continue
    if i > 6:
        break
    VALUES.append(i)
CREW = len(VALUES)


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", CREW),))
class CTRL:
    @func
    def f(x: Tensor[(ROWS, COLS), "f32"]):
        with Mesh(("cta",), layout=(CREW,), names=("u",)) as g:
            return tf.relu(x)
