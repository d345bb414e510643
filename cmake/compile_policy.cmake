# SPDX-License-Identifier: Apache-2.0
#
# How every C target of this project is compiled.

set(SIMA_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
    -Wmissing-prototypes -Wstrict-prototypes)

# No contraction: a multiplication and a subtraction must stay two roundings, whatever the
# compiler's default. runtime/a65/build_policy.h refuses what a macro can show; contraction has
# no macro.
set(SIMA_SANITIZERS -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
    -fno-omit-frame-pointer)

function(sima_compile_policy target)
    target_compile_features(${target} PRIVATE c_std_11)
    set_target_properties(${target} PROPERTIES C_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE ${SIMA_WARNINGS} -ffp-contract=off
        $<$<BOOL:${SIMA_WERROR}>:-Werror>)
    if(SIMA_SANITIZE)
        target_compile_options(${target} PRIVATE ${SIMA_SANITIZERS})
        target_link_options(${target} PUBLIC ${SIMA_SANITIZERS})
    endif()
endfunction()
