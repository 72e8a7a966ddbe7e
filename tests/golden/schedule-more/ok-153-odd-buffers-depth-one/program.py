from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="run", target=CudaTarget("nvidia.h200_sxm"),
        topologies=(Topology("cta", 2), Topology("thread", 32)))
class Mixed:
    @func
    def run(a: Tensor[(80, 12), "f32"], b: Tensor[(80, 28), "f32"], c: Tensor[(80, 4), "bf16"]) -> tuple[Tensor[(80, 12), "f32"], Tensor[(80, 28), "f32"], Tensor[(80, 4), "bf16"]]:
        with Mesh(("cta",), layout=(2,), names=("i",)) as tile:
            with Mesh(("thread",), layout=(32,), names=("t",)) as th:
                oa = tf.zeros(Tensor[(80, 12), "f32"])
                ob = tf.zeros(Tensor[(80, 28), "f32"])
                oc = tf.zeros(Tensor[(80, 4), "bf16"])
                for n in range(8):
                    i0 = tile.i * 40 + n * 5
                    ab = tf.empty(Tensor[(5, 12), "f32", (5, 12), "smem"], buffers=1)
                    sa = tf.schedule((a[i0:i0 + 5, 0:12], ab), op=T.copy_async())
                    bb = tf.empty(Tensor[(5, 28), "f32", (5, 28), "smem"], buffers=3)
                    sb = tf.schedule((b[i0:i0 + 5, 0:28], bb), op=T.copy_async())
                    cb = tf.empty(Tensor[(5, 4), "bf16", (5, 4), "smem"], buffers=1)
                    sc = tf.schedule((c[i0:i0 + 5, 0:4], cb), op=T.copy_async())
                    ga = tf.empty(Tensor[(5, 12), "f32", (5, 12)])
                    ra = tf.schedule((sa, ga), op=T.copy())
                    gb = tf.empty(Tensor[(5, 28), "f32", (5, 28)])
                    rb = tf.schedule((sb, gb), op=T.copy())
                    gc = tf.empty(Tensor[(5, 4), "bf16", (5, 4)])
                    rc = tf.schedule((sc, gc), op=T.copy())
                    oa = tf.insert_slice(oa, ra, (i0, 0))
                    ob = tf.insert_slice(ob, rb, (i0, 0))
                    oc = tf.insert_slice(oc, rc, (i0, 0))
                return oa, ob, oc
