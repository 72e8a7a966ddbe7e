"""Doc."""
# <- string.documentation
import math, a.b as c
# <- keyword.import
#      ^^^^ module
#                   ^ module
LIMIT, x = 1.5, None
# <- constant
#          ^^^ number.float
#               ^^^^ constant.builtin


def f(self, *args, key: int = 0x10, **rest) -> str:
# <- keyword.function
#   ^ function
#     ^^^^ variable.parameter
#            ^^^^ variable.parameter
#                  ^^^ variable.parameter
#                       ^^^ type
#                             ^^^^ number
#                                              ^^^ type
    if not self.x and True is not x:
    # <- keyword.conditional
    #  ^^^ keyword.operator
    #      ^^^^ variable.builtin
    #           ^ variable.member
    #                 ^^^^ boolean
        return f"a\n{key!r:>{10}}b"
        #      ^^ string
        #         ^^ string.escape
        #           ^ punctuation.special
        #            ^^^ variable
        #               ^^ punctuation.special
        #                  ^ string.special
    return math.ceil(len(args))
    #           ^^^^ function.method.call
    #                ^^^ function.builtin


class A(B):
# <- keyword.type
#     ^ type
    @property
    # <- attribute
    #^^^^^^^^ attribute
    def m(self): pass
    #   ^ function.method
    #            ^^^^ keyword


match x:
# <- keyword.conditional
    case 1: raise E # why
    # <- keyword.conditional
    #       ^^^^^ keyword.exception
    #               ^^^^^ comment


match = [lambda v: v, ...]
# <- variable
#        ^^^^^^ keyword.function
#                     ^^^ constant.builtin


def documented():
    """Says what."""
    # <- string.documentation
