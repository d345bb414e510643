# SPDX-License-Identifier: Apache-2.0
#
# How every C target of this project is compiled.

set(SIMA_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
    -Wmissing-prototypes -Wstrict-prototypes)

# No contraction: a multiplication and a subtraction must stay two roundings, whatever the
# compiler's default. runtime/a65/build_policy.h refuses what a macro can show; contraction has
# no macro.
if(SIMA_SANITIZE MATCHES "^(memory|thread)$")
    set(SIMA_SANITIZERS -fsanitize=${SIMA_SANITIZE})
else()
    set(SIMA_SANITIZERS -fsanitize=address,undefined,float-cast-overflow)
endif()
list(APPEND SIMA_SANITIZERS -fno-sanitize-recover=all -fno-omit-frame-pointer)

function(sima_compile_policy target)
    target_compile_features(${target} PRIVATE c_std_11)
    set_target_properties(${target} PROPERTIES C_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE ${SIMA_WARNINGS} -ffp-contract=off
        $<$<BOOL:${SIMA_WERROR}>:-Werror>)
    if(SIMA_SANITIZE)
        target_compile_options(${target} PRIVATE ${SIMA_SANITIZERS})
        target_link_options(${target} PUBLIC ${SIMA_SANITIZERS})
    endif()
    if(SIMA_BUILD_FUZZERS)
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
endfunction()

# NEON kernels hand block functions on that must be inlined, and gcc can do so only where it
# optimizes. A project that includes this one may well be built with -g and nothing else.
function(sima_optimize_kernels)
    list(FILTER ARGN INCLUDE REGEX "/neon_[^/]*$")
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND ARGN)
        set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS
            "$<$<NOT:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-O2>")
    endif()
endfunction()
