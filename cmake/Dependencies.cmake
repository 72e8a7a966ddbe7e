# The libraries tilewright stands on. MLIR is linked as static archives named by file: Debian's exported targets pull in libLLVM.so, which
# costs 30 ms at every start.
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)

find_program(TW_LLVM_CONFIG NAMES llvm-config-19 REQUIRED)
execute_process(COMMAND ${TW_LLVM_CONFIG} --prefix OUTPUT_VARIABLE TW_LLVM OUTPUT_STRIP_TRAILING_WHITESPACE)
find_program(TW_MLIR_TBLGEN NAMES mlir-tblgen mlir-tblgen-19 HINTS ${TW_LLVM}/bin REQUIRED)
add_library(tw_mlir INTERFACE)
target_include_directories(tw_mlir SYSTEM INTERFACE ${TW_LLVM}/include)
target_compile_definitions(tw_mlir INTERFACE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
foreach(lib MLIRParser MLIRAsmParser MLIRBytecodeReader MLIRPass MLIRControlFlowInterfaces MLIRInferTypeOpInterface MLIRIR MLIRSupport LLVMSupport LLVMDemangle)
  list(APPEND archives ${TW_LLVM}/lib/lib${lib}.a)
endforeach()
target_link_libraries(tw_mlir INTERFACE ${archives} ZLIB::ZLIB zstd Threads::Threads ${CMAKE_DL_LIBS})

# isl and gmp as archives where there are some: two shared libraries less to look up at every start.
find_library(TW_ISL NAMES libisl.a isl REQUIRED)
find_library(TW_GMP NAMES libgmp.a gmp REQUIRED)
add_library(tw_isl INTERFACE)
target_link_libraries(tw_isl INTERFACE ${TW_ISL} ${TW_GMP})

add_library(tw_fmt INTERFACE)
target_compile_definitions(tw_fmt INTERFACE FMT_HEADER_ONLY)

# The tree-sitter runtime's C core: one file that includes the rest. scripts/install puts it into the build folder.
if(NOT TW_TREE_SITTER)
  set(TW_TREE_SITTER ${CMAKE_SOURCE_DIR}/build/deps/tree-sitter)
endif()
if(NOT EXISTS ${TW_TREE_SITTER}/src/lib.c)
  message(FATAL_ERROR "tree-sitter runtime not found at ${TW_TREE_SITTER}: run scripts/install")
endif()
add_library(tw_tree_sitter STATIC ${TW_TREE_SITTER}/src/lib.c)
target_include_directories(tw_tree_sitter SYSTEM PUBLIC ${TW_TREE_SITTER}/include PRIVATE ${TW_TREE_SITTER}/src)
target_compile_options(tw_tree_sitter PRIVATE -w)
target_compile_definitions(tw_tree_sitter PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE)
set_target_properties(tw_tree_sitter PROPERTIES C_STANDARD 11 COMPILE_WARNING_AS_ERROR OFF UNITY_BUILD OFF)
