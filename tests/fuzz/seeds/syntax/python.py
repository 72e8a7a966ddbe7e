# -*- coding: utf-8 -*-
from __future__ import annotations
import math as m, dataclasses
from tilefoundry.dsl import *
async def f(a, /, b: int = 1, *args, c=2, **kw) -> None:
    async with a as (x, y), b: await c
    async for i in range(0, 10, -1): yield i
    return lambda *z: (z if a else b)
@dataclasses.dataclass(frozen=True)
class K(object, metaclass=type):
    x: int = 0x1F_FF; y: float = 1e-3j
    def p(self): return f"{self.x!r:>{10}} {{}}" rb'\x00'
match x:
    case [1, *rest] | {"a": K(x=1)} if (n := len(rest)) > 3: pass
    case _: raise ValueError("é") from None
try:
    del a[1:2, ...], b.c
except* (OSError, E) as e: global g
else: nonlocal h
finally: assert not a, b
while True:
	if a < b <= c is not d not in e: continue
	elif a @ b ** -c // ~d << 1: break
type A[T: int, *Ts, **P] = dict[str, T]
v = [i for i in x if i for j in y] + {k: v for k, v in z} | {*s, 1} , (yield)
w = """a
b""" \
 'c'
t: Tensor[(8, 2 @ m.x), "bf16", Layout((4, 2), (2, 1)) | Swizzle(3, 4, 3), "smem"] = tf.zeros(...)
