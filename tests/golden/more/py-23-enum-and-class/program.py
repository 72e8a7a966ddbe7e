from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

import math


class Shapes:
    heads = 8
    width = 64
    hidden = heads * width


class Big(Shapes):
    heads = 12


SMALL = True
MODEL = Shapes if SMALL else Big
TOKENS = 256 if MODEL.hidden <= 512 else 128
if (side := math.isqrt(TOKENS)) * side == TOKENS:
    BLOCK = side
else:
    BLOCK = 8


@module(entry="proj", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", TOKENS // BLOCK),))
class PROJ:
    @func
    def proj(x: Tensor[(TOKENS, MODEL.hidden), "bf16"], w: Tensor[(MODEL.hidden, MODEL.width), "bf16"]) -> Tensor[(TOKENS, MODEL.width), "f32"]:
        with Mesh(("cta",), layout=(TOKENS // BLOCK,), names=("t",)) as g:
            y = tf.zeros(Tensor[(TOKENS, MODEL.width), "f32"])
            o = g.t * BLOCK
            return tf.insert_slice(y, tf.matmul(x[o:o + BLOCK, :], w, out_dtype="f32"), (o, 0))
