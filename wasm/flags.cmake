# Every compiler and linker flag of the project, each with its reason.

add_library(vitrine_flags INTERFACE)
target_compile_options(vitrine_flags INTERFACE
  -Wall -Wextra -Wshadow -Werror
  -ffp-contract=off      # a fused multiply-add rounds once where the contract rounds twice
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)  # messages and objects name no folder of the machine that built them

if(EMSCRIPTEN)
  target_compile_options(vitrine_flags INTERFACE
    -msimd128            # 128-bit SIMD; relaxed SIMD stays off: its results differ between engines
    -fwasm-exceptions)   # Error crosses from C++ to JavaScript with its code
  target_link_options(vitrine_flags INTERFACE -msimd128 -fwasm-exceptions)
else()
  find_package(Threads REQUIRED)
  target_link_libraries(vitrine_flags INTERFACE Threads::Threads)
  set(machine ${VITRINE_MACHINE})
  if(machine STREQUAL "auto")
    # The widest set that this processor runs; every choice computes the same bits.
    set(machine baseline)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND EXISTS /proc/cpuinfo)
      file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags.* avx2( |$)" LIMIT_COUNT 1)
      if(cpu_flags)
        set(machine avx2)
      endif()
    endif()
  endif()
  message(STATUS "Instruction set: ${machine}")
  if(machine STREQUAL "avx2")
    target_compile_options(vitrine_flags INTERFACE -mavx2)
  elseif(machine STREQUAL "avx512")
    target_compile_options(vitrine_flags INTERFACE -mavx512f -mavx512cd -mavx512dq -mavx512bw)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC's own header of these instructions starts from a register on purpose (GCC bug 105593).
      target_compile_options(vitrine_flags INTERFACE -Wno-uninitialized -Wno-maybe-uninitialized)
    endif()
  elseif(machine MATCHES "^emulated([0-9]+)$")
    target_compile_definitions(vitrine_flags INTERFACE XSIMD_DEFAULT_ARCH=emulated<${CMAKE_MATCH_1}>)  # plain C++
  elseif(NOT machine STREQUAL "baseline")
    message(FATAL_ERROR "VITRINE_MACHINE: expected auto, baseline, avx2, avx512 or emulated128, 256, 512, found '${machine}'")
  endif()
  if(VITRINE_SANITIZE)
    target_compile_options(vitrine_flags INTERFACE -fsanitize=${VITRINE_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)  # what is found ends the program: a line among its output would fail no test
    target_compile_definitions(vitrine_flags INTERFACE _GLIBCXX_ASSERTIONS)  # indices of vectors and spans, too
    target_link_options(vitrine_flags INTERFACE -fsanitize=${VITRINE_SANITIZE})
  endif()
endif()

# Programs that run to an end: the command line, the tests and the benchmarks (under Node, with its files).
add_library(vitrine_program INTERFACE)
if(EMSCRIPTEN)
  set(CMAKE_EXECUTABLE_SUFFIX .cjs)      # .mjs would make a module factory that runs nothing
  target_link_options(vitrine_program INTERFACE
    -sEXIT_RUNTIME=1                     # the exit status of main is the exit status of node
    -sNODERAWFS=1                        # paths are the machine's own
    -sENVIRONMENT=node
    -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB
    -sSTACK_SIZE=1MB)
endif()

# The golden program: one module that Node and the browsers run alike, on files in memory.
add_library(vitrine_golden_flags INTERFACE)
if(EMSCRIPTEN)
  target_link_options(vitrine_golden_flags INTERFACE
    -sMODULARIZE=1 -sEXPORT_ES6=1
    -sENVIRONMENT=web,node
    -sDYNAMIC_EXECUTION=0
    -sINVOKE_RUN=0                       # the caller puts its files in place first
    -sEXPORTED_RUNTIME_METHODS=FS,callMain
    -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB
    -sSTACK_SIZE=1MB)
endif()

# What compiles longer than it runs: tests, and the command line around the library. Any level gives the same bits.
add_library(vitrine_quick_flags INTERFACE)
target_compile_options(vitrine_quick_flags INTERFACE $<$<CONFIG:Release>:-O1>)

# What computes little and goes into the module: small rather than quick. Any level gives the same bits.
add_library(vitrine_compact_flags INTERFACE)
target_compile_options(vitrine_compact_flags INTERFACE $<$<CONFIG:Release>:-Oz>)

# For wasm, the optimiser runs once more at the link: tests do without.
add_library(vitrine_test_flags INTERFACE)
target_link_libraries(vitrine_test_flags INTERFACE vitrine_quick_flags)
if(EMSCRIPTEN)
  target_link_options(vitrine_test_flags INTERFACE -O1)
endif()

# The module that pages, workers and applications load.
add_library(vitrine_module_flags INTERFACE)
if(EMSCRIPTEN)
  target_link_options(vitrine_module_flags INTERFACE
    -lembind
    -sMODULARIZE=1 -sEXPORT_ES6=1        # an ES module with a factory: several instances on a page
    -sENVIRONMENT=web,worker,node
    -sDYNAMIC_EXECUTION=0                # the page's Content-Security-Policy allows no eval
    -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB
    -sFILESYSTEM=0                       # bytes come from the caller
    -sINCOMING_MODULE_JS_API=locateFile,wasmBinary,instantiateWasm  # no other way in
    -sMALLOC=emmalloc                    # the small one: forward() allocates nothing
    -sSTACK_SIZE=1MB
    "SHELL:--emit-tsd vitrine-module.d.ts")
endif()
