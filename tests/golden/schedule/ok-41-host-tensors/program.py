from tilefoundry.dsl import *
from tilefoundry.target import AmxTarget


@module(entry="run", target=AmxTarget("apple.m2_pro"), topologies=(Topology("core", 2), Topology("amx", 1)))
class Host:
    @func
    def run(p: Tensor[(32, 32), "f32"], q: Tensor[(32, 32), "f32"], w: Tensor[(32,), "f32"], at: Tensor[(16,), "i32"]) -> Tensor[(1, 1024), "f16"]:
        with Mesh((Topology("core", 1),), layout=(1,), names=("c",)) as core:
            a = tf.schedule((p, q, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_matmul())
            b = tf.schedule((a, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_transpose(perm=(1, 0)))
            c = tf.schedule((b, w, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_rms_norm(eps=0.001))
            d = tf.schedule((c, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_softmax(axis=1))
            e = tf.schedule((d, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_sigmoid())
            f = tf.schedule((e, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_silu())
            g = tf.schedule((f, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_softplus())
            h = tf.schedule((g, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_unary(kind=UnaryKind.EXP))
            one = tf.schedule((h, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_full_like(value=1.5))
            i = tf.schedule((h, one, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_binary(kind=BinaryKind.ADD))
            j = tf.schedule((i, at, tf.empty(Tensor[(16, 32), "f32"])), op=T.cpu_index_select())
            k = tf.schedule((j, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_repeat_interleave(repeats=2, axis=0))
            l = tf.schedule((k, i, tf.empty(Tensor[(64, 32), "f32"])), op=T.cpu_concat_2(axis=0))
            m = tf.schedule((l, tf.empty(Tensor[(1, 32), "f32"])), op=T.cpu_reduce(axes=(0,)))
            n = tf.schedule((m, tf.empty(Tensor[(32, 32), "f32"])), op=T.cpu_repeat_interleave(repeats=32, axis=0))
            o = tf.schedule((n, tf.empty(Tensor[(1, 1024), "f32"])), op=T.cpu_reshape(new_shape=(1, 1024)))
            return tf.schedule((o, tf.empty(Tensor[(1, 1024), "f16"])), op=T.cpu_cast(dtype="f16"))
