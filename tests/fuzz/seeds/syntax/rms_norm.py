"""RMS norm over the last axis, once as one operation and once by hand.

`fused` states the norm as one operation and leaves the rest to the instruction that implements it. `by_hand` writes the sum of squares
and the scaling out, in f32. Both work on strips of rows; compare what they move and how long they take.
"""

from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

ROWS, WIDTH = 2112, 1536
STRIP = 16
STRIPS = ROWS // STRIP
EPSILON = 1e-6


@module(
    entry="by_hand",
    target=CudaTarget("nvidia.h200_sxm"),
    topologies=(Topology("cta", STRIPS), Topology("thread", 256)),
)
class RmsNorm:
    @func
    def fused(x: Tensor[(ROWS, WIDTH), "bf16"], gain: Tensor[(WIDTH,), "bf16"]) -> Tensor[(ROWS, WIDTH), "bf16"]:
        with Mesh(("cta",), layout=(STRIPS,), names=("strip",)) as cta:
            y = tf.empty(Tensor[(ROWS, WIDTH), "bf16"])
            top_row = cta.strip * STRIP
            rows = tf.reshard(x[top_row:top_row + STRIP, :], (STRIP, WIDTH), "rmem")
            scale = tf.reshard(gain, (WIDTH,), "rmem")
            normed = tf.reshard(tf.rms_norm(rows, scale, eps=EPSILON), (STRIP, WIDTH), "gmem")
            return tf.insert_slice(y, normed, (top_row, 0))

    @func
    def by_hand(x: Tensor[(ROWS, WIDTH), "bf16"], gain: Tensor[(WIDTH,), "bf16"]) -> Tensor[(ROWS, WIDTH), "bf16"]:
        with Mesh(("cta",), layout=(STRIPS,), names=("strip",)) as cta:
            y = tf.empty(Tensor[(ROWS, WIDTH), "bf16"])
            top_row = cta.strip * STRIP
            rows = tf.cast(tf.reshard(x[top_row:top_row + STRIP, :], (STRIP, WIDTH), "rmem"), "f32")
            scale = tf.cast(tf.reshard(gain, (WIDTH,), "rmem"), "f32")
            mean_square = tf.reduce(tf.square(rows), axes=(1,), kind="mean", keepdim=True)
            normed = rows * tf.rsqrt(mean_square + EPSILON) * scale
            narrow = tf.reshard(tf.cast(normed, "bf16"), (STRIP, WIDTH), "gmem")
            return tf.insert_slice(y, narrow, (top_row, 0))
