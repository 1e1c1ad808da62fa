# SPDX-License-Identifier: Apache-2.0
# The environment of tests in which Inductor compiles small models: no headers compiled ahead, no trial of the
# processor's instructions, no optimisation of what calls the kernels, and what g++ has compiled before is kept.
set(NGB_INDUCTOR_FOR_TESTS TORCHINDUCTOR_VEC_ISA_OK=1 TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=0
    AOT_INDUCTOR_COMPILE_WRAPPER_OPT_LEVEL=O0 CXX=${CMAKE_CURRENT_LIST_DIR}/cached-g++
    NGB_COMPILED=${CMAKE_BINARY_DIR}/tests/compiled-by-inductor)
