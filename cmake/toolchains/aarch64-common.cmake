# SPDX-License-Identifier: Apache-2.0
#
# AArch64 Linux on a Debian host: arm64 packages installed beside the native ones, programs run
# under qemu-user. The compiler comes from the file that includes this one.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# No -L: libc6:arm64 puts the loader and the C library where programs look for them. Those of the
# cross compiler's package are of another build, and the two must not be mixed.
find_program(SIMA_QEMU_AARCH64 qemu-aarch64)
if(SIMA_QEMU_AARCH64)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${SIMA_QEMU_AARCH64}")
endif()

set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu /usr/lib/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# The core that the library is made for; its FP16 arithmetic is part of it.
set(SIMA_A65_CPU "cortex-a65" CACHE STRING "Argument of -mcpu")
set(CMAKE_C_FLAGS_INIT "-mcpu=${SIMA_A65_CPU}")
set(CMAKE_CXX_FLAGS_INIT "-mcpu=${SIMA_A65_CPU}")
