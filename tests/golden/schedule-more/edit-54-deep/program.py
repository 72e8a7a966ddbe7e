"""Streams a large product through a fixed set of resident blocks."""
from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

HEIGHT, DEPTH, WIDTH = 4096, 1024, 4096
TH, TW, TD = 128, 256, 64
SLOTS = 3
BLOCKS = 132
BAND = 16
ACROSS = WIDTH // TW


@module(entry="product", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", BLOCKS), Topology("thread", 384)))
class Streamed:
    @func
    def product(left: Tensor[(HEIGHT, DEPTH), "bf16"], right: Tensor[(DEPTH, WIDTH), "bf16"]) -> Tensor[(HEIGHT, WIDTH), "bf16"]:
        with Mesh(("cta",), layout=(BLOCKS,), names=("resident",)) as sm:
            with Mesh(("thread",), layout=(3, 128), names=("team", "member")) as crew:
                unit = T.cuda.sm90.Wgmma(n=TW, dtype="bf16", form=T.cuda.sm90.Form.SS, a_major=T.cuda.sm90.Major.K)
                result = tf.zeros(Tensor[(HEIGHT, WIDTH), "bf16"])
                for item in range(sm.resident, (HEIGHT // TH) * ACROSS, BLOCKS):
                    band = item // (ACROSS * BAND)
                    column = (item // BAND) % ACROSS
                    inside = item % BAND
                    top = (band * BAND + inside) * TH
                    edge = column * TW
                    with Mesh(crew[1:3, :], layout=(2, 4, 8, 4), names=("pair", "wrp", "octet", "quad")) as duo:
                        total = tf.zeros(Tensor[(TH, TW), "f32", ((2 @ duo.pair, 4 @ duo.wrp, 2, 8 @ duo.octet, TW // 8, 4 @ duo.quad, 2), (64 * TW, 16, 8, 1, 512, 128, 64)), "rmem"])
                    for step in tf.tile(DEPTH, TD):
                        with crew[0, :32] as fetch:
                            left_slots = tf.empty(Tensor[(TH, TD), "bf16", Layout(((2, 8, 8), (4, 16)), ((4096, 512, 64), (16, 1))) | Swizzle(3, 4, 3), "smem"], buffers=SLOTS)
                            left_now = tf.schedule((left[top:top + TH, step], left_slots), op=T.copy_async_tensor())
                            right_slots = tf.empty(Tensor[(TD, TW), "bf16", Layout(((4, 2, 8), (4, 64)), ((1024, 512, 64), (4096, 1))) | Swizzle(3, 4, 3), "smem"], buffers=SLOTS)
                            right_now = tf.schedule((right[step, edge:edge + TW], right_slots), op=T.copy_async_tensor())
                        with Mesh(crew[1:3, :], layout=(2, 4, 8, 4), names=("pair", "wrp", "octet", "quad")) as duo:
                            total = tf.schedule((total, left_now, right_now), op=T.tiled_mma(atom=unit), repeat=(2, 1, 64 // 16))
                    with Mesh(crew[1:3, :], layout=(2, 4, 8, 4), names=("pair", "wrp", "octet", "quad")) as duo:
                        narrow = tf.cast(total, dtype="bf16")
                        shelf = tf.empty(Tensor[(TH, TW), "bf16", Layout((128, (TW // 64, 64)), (64, (8192, 1))) | Swizzle(3, 4, 3), "smem"])
                        shelved = tf.schedule((narrow, shelf), op=T.copy())
                    with crew[0, :32] as send:
                        slot = tf.empty(Tensor[(TH, TW), "bf16", (TH, TW)])
                        sent = tf.schedule((shelved, slot), op=T.copy_async_tensor())
                        result = tf.insert_slice(result, sent, (top, edge))
                return result
