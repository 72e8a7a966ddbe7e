#!/usr/bin/env python3
"""Prose at the top."""
from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget

from typing import Final

WIDTH: Final = 40
HEIGHT: int = WIDTH // 2


def report():
    print("size", WIDTH, HEIGHT)


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 5),))
class GUARDED:
    @func
    def f(x: Tensor[(HEIGHT, WIDTH), "f16"]):
        with Mesh(("cta",), layout=(5,), names=("u",)) as g:
            o = g.u * 4
            return tf.log(tf.abs(x[o:o + 4, :]))


if __name__ == "__main__":
    report()
