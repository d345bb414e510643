# SPDX-License-Identifier: Apache-2.0
#
# Takes the first block of a language out of a page, so that what users read is what is tested.

function(extract_block page language result)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page}")
    file(READ "${page}" text)
    string(REGEX MATCH "```${language}\n([^`]*)```" block "${text}")
    if(NOT block)
        message(FATAL_ERROR "${page} holds no ${language} example")
    endif()
    file(WRITE "${result}" "${CMAKE_MATCH_1}")
endfunction()
