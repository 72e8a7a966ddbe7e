from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="ew", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 4),))
class M2_EW:
    @func
    def ew(a: Tensor[(640, 64), "f32"], h: Tensor[(640, 64), "f16"], n: Tensor[(640, 64), "i32"]):
        with Mesh(("core",), layout=(4,), names=("c",)) as g:
            i = g.c * 160
            x = tf.exp(a[i:i+160, :])
            y = h[i:i+160, :] * h[i:i+160, :]
            z = n[i:i+160, :] + n[i:i+160, :]
            w = x < x
            s = tf.where(w, x, x)
            m = tf.matmul(x, tf.transpose(x, (1, 0)))
            q = tf.cast(x, "bf16")
            r = tf.reshard(x, (160, 64), "rmem")
            u = r * r
            return u, y, z, s, m, r, q
