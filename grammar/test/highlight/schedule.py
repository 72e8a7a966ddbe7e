from tilefoundry.dsl import *
# <- keyword.import
#    ^^^^^^^^^^^ module
#                ^^^ module
#                    ^^^^^^ keyword.import

BM = 128
# <- constant
#  ^ operator
#    ^^^ number


@module(entry="gemm", target=CudaTarget("nvidia.h200_sxm"))
# <- attribute
# ^^^^^ keyword.directive
#      ^ !keyword.directive
#       ^^^^^ variable.parameter
#             ^^^^^^ string
#                            ^^^^^^^^^^ type
class GEMM:
# <- keyword.type
#     ^^^^ type
    @func
    #^^^^ keyword.directive
    def gemm(a: Tensor[(M, K), "bf16"]) -> ConstTensor[(M, N), "bf16"]:
    # <- keyword.function
    #   ^^^^ function
    #        ^ variable.parameter
    #           ^^^^^^ type.builtin
    #                          ^^^^^^ string
    #                                   ^^ operator
    #                                      ^^^^^^^^^^^ type.builtin
        with Mesh(("cta",), layout=(GM, GN), names=("bm", "bn")) as cta:
        # <- keyword
        #    ^^^^ type.builtin
        #                   ^^^^^^ variable.parameter
        #                                                        ^^ keyword
            for k in tf.tile(K, BK):
            # <- keyword.repeat
            #     ^^ keyword.operator
            #        ^^ module.builtin
            #           ^^^^ keyword.repeat
                at = tf.reshard(a[m:m + BM, k], (BM @ cta.m, BK), "smem")
                #    ^^ module.builtin
                #       ^^^^^^^ function.call
                #                                   ^ keyword.operator
                #                                         ^ variable.member
                lay = Layout((1,), (2,)) | Swizzle(3, 4, 3)
                #     ^^^^^^ type
                #                        ^ keyword.operator
                #                          ^^^^^^^ type.builtin
                mma = T.cuda.sm90.Wgmma(n=256)
                #                 ^^^^^ function.macro
            return (32, 48) @ {B()}
            # <- keyword.return
            #               ^ keyword.operator
