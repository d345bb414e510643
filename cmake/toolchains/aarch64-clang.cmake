# SPDX-License-Identifier: Apache-2.0
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
include("${CMAKE_CURRENT_LIST_DIR}/aarch64-common.cmake")
