# SPDX-License-Identifier: Apache-2.0
#
# Clauses E4 and A12, read from the library's object files: nothing writable outlives a call, only
# the C library's memory functions are called and the compiler's own record of the processor is read, every exported symbol carries the prefix, and the
# shared half knows no backend.
#
#   cmake -DOBJECTS=a.o,b.o -DNM=nm -DOBJDUMP=objdump -P check_objects.cmake

string(REPLACE "," ";" objects "${OBJECTS}")
set(exported 0)
set(faults "")

function(run_tool output)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE complaint
        RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${ARGN}: ${complaint}")
    endif()
    string(REPLACE ";" "," text "${text}")
    string(REPLACE "\n" ";" text "${text}")
    set(${output} "${text}" PARENT_SCOPE)
endfunction()

foreach(object IN LISTS objects)
    run_tool(undefined "${NM}" -u "${object}")
    foreach(line IN LISTS undefined)
        string(REGEX REPLACE "^.* " "" symbol "${line}")
        if(line MATCHES " U " AND NOT symbol MATCHES
            "^(sima_.*|_?(memcpy|memmove|memset|memcmp)|_GLOBAL_OFFSET_TABLE_|__stack_chk_.*|__cpu_(model|features2|indicator_init))$")
            list(APPEND faults "${object} calls ${symbol}")
        endif()
        if(object MATCHES "/ops/" AND symbol MATCHES "a65")
            list(APPEND faults "${object}, of the shared half, uses ${symbol}")
        endif()
    endforeach()

    run_tool(defined "${NM}" -g --defined-only "${object}")
    foreach(line IN LISTS defined)
        string(REGEX REPLACE "^.* " "" symbol "${line}")
        if(NOT symbol STREQUAL "")
            math(EXPR exported "${exported} + 1")
            if(NOT symbol MATCHES "^sima_")
                list(APPEND faults "${object} exports ${symbol}")
            endif()
        endif()
        if(line MATCHES " [CBbDd] " AND NOT symbol MATCHES "^sima_a65_dequant_.*famil")
            list(APPEND faults "${object} exports data: ${symbol}")
        endif()
    endforeach()

    # Tables of pointers are relocated once and read-only from then on: .data.rel.ro is no variable.
    # Nor are nameless constants, which gcc for AArch64 puts into .data where they hold a pointer,
    # and the symbols that only mark a section or its contents.
    run_tool(symbols "${OBJDUMP}" -t "${object}")
    foreach(line IN LISTS symbols)
        if(line MATCHES "[O ] ((\\.(data|bss|tdata|tbss)|\\*COM\\*)[^\t]*)\t[0-9a-f]+ (.*)$")
            set(section "${CMAKE_MATCH_1}")
            set(symbol "${CMAKE_MATCH_4}")
            if(NOT section MATCHES "^\\.data\\.rel\\.ro" AND NOT symbol MATCHES "^[.$]")
                list(APPEND faults "${object} holds the variable ${symbol}, in ${section}")
            endif()
        endif()
    endforeach()
endforeach()

list(LENGTH objects count)
if(exported EQUAL 0)
    list(APPEND faults "no symbol found in ${count} objects: nothing was looked at")
endif()
if(faults)
    list(JOIN faults "\n  " text)
    message(FATAL_ERROR "of ${count} objects:\n  ${text}")
endif()
message("${count} objects, ${exported} exported symbols: no variable, no allocation, no lock")
