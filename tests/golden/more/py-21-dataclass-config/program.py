from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    m: int
    n: int
    k: int = 32

    @property
    def area(self):
        return self.m * self.n


CFG = Tile(m=64, n=96)
GRID = (4, 3)


@module(entry="mm", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", GRID[0] * GRID[1]), Topology("thread", 128)))
class CONFIGURED:
    @func
    def mm(a: Tensor[(CFG.m * 4, 128), "bf16"], b: Tensor[(128, CFG.n * 3), "bf16"]) -> Tensor[(CFG.m * 4, CFG.n * 3), "f32"]:
        with Mesh(("cta",), layout=(4, 3), names=("i", "j")) as g:
            c = tf.zeros(Tensor[(CFG.m * 4, CFG.n * 3), "f32"])
            mo = g.i * CFG.m
            no = g.j * CFG.n
            acc = tf.zeros(Tensor[(CFG.m, CFG.n), "f32", "rmem"])
            for k in tf.tile(128, CFG.k):
                at = tf.reshard(a[mo:mo + CFG.m, k], (CFG.m, CFG.k), "smem")
                bt = tf.reshard(b[k, no:no + CFG.n], (CFG.k, CFG.n), "smem")
                acc = acc + tf.matmul(at, bt, out_dtype="f32")
            return tf.insert_slice(c, tf.reshard(acc, (CFG.m, CFG.n), "gmem"), (mo, no))
