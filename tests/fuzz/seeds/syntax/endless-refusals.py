# -*- coding: utf-8 -*-
froe __future__ import annotations
import math as m, dataclasses
from tilefoundry.dsl import *
async def f(a, /, b: int = 1, *args, c=2, **kw) -> None:
    async with a as (x, y), b: await c
    async for i in range(0, 10, -1): yield i
    return lambda *z: (z if a else b)
@dataclasses.dataclass(frozen=True)
class K(object, metaclass=type):
    x: int = 0x1F_FF; y: float = 1e-3j
 pppppppppppp+ppppppppppppp   del a[1:2, ...], b.c
except* (OSError, E) as e: global g
else: nonlocal h
finally: assert not a, b
while True:
	if a < b <= c is not d notmath as m, dataclasses
from tilefoundry.dsl import *
async def f(a, /, b: int = 1, *args, c=2, **kw) -> None:
    async with a as (x, y), b: await c
    async for i in range(0, 10, "" \
 'c'
t: Tensor[(8, 2 @ m.x), "bf16", Layout((4, 2), (2, 1)) | Swizzle(3, 4, 3), "smem"] = tf.zeros(...)
