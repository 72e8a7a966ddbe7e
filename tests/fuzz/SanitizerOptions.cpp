// What AddressSanitizer and UndefinedBehaviorSanitizer are told in every executable of ours. User poisoning is off: Debian's LLVM archives are
// not instrumented, so a slab that our inlined BumpPtrAllocator poisons is never unpoisoned by their copy of it.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0:detect_stack_use_after_return=1"; }
extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1"; }
