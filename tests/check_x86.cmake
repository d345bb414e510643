# SPDX-License-Identifier: Apache-2.0
#
# What no result shows, read from the x86-64 kernels' instructions: none fuses a multiplication and an
# addition; those that store past the caches do so and end with a fence.
#
#   cmake -DOBJECTS=a.o,b.o -DOBJDUMP=objdump -P check_x86.cmake

string(REPLACE "," ";" objects "${OBJECTS}")
set(kernels 0)
set(streams 0)
set(faults "")

foreach(object IN LISTS objects)
    if(NOT object MATCHES "avx(2|512)_")
        continue()
    endif()
    execute_process(COMMAND "${OBJDUMP}" -d --no-show-raw-insn "${object}" OUTPUT_VARIABLE text
        RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${OBJDUMP} -d ${object} failed")
    endif()
    if(text MATCHES "\tvfn?m(add|sub)[^ ]*")
        list(APPEND faults "${object} fuses: ${CMAKE_MATCH_0}")
    endif()
    # Brackets and semicolons mean something in lists.
    string(REGEX REPLACE "[][;]" "," text "${text}")
    string(REGEX REPLACE "\n[0-9a-f]+ <(sima_dequant_[a-z0-9_]+)>:" ";\\1:" functions "${text}")
    foreach(function IN LISTS functions)
        if(NOT function MATCHES "^(sima_dequant_[a-z0-9_]+):")
            continue()
        endif()
        set(name "${CMAKE_MATCH_1}")
        math(EXPR kernels "${kernels} + 1")
        string(REGEX MATCH "\tvmovnt" stores "${function}")
        string(REGEX MATCH "\tsfence" fence "${function}")
        if(name MATCHES "_stream$")
            math(EXPR streams "${streams} + 1")
            if(NOT stores OR NOT fence)
                list(APPEND faults "${name} lacks stores past the caches, or the fence")
            endif()
        elseif(stores OR fence)
            list(APPEND faults "${name} stores past the caches")
        endif()
    endforeach()
endforeach()

if(kernels EQUAL 0 OR streams EQUAL 0)
    list(APPEND faults "${kernels} kernels and ${streams} that stream: nothing was looked at")
endif()
if(faults)
    list(JOIN faults "\n  " text)
    message(FATAL_ERROR "of ${kernels} kernels:\n  ${text}")
endif()
message("${kernels} kernels, ${streams} of them past the caches: fenced, and nothing is fused")
