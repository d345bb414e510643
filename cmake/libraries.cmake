# SPDX-License-Identifier: Apache-2.0
#
# The static and the shared library, of the same objects, and the name that users link:
# SimaKernels::a65_dequant is the one that BUILD_SHARED_LIBS says.

add_library(sima_a65_dequant_static STATIC $<TARGET_OBJECTS:sima_a65_dequant>)
add_library(sima_a65_dequant_shared SHARED $<TARGET_OBJECTS:sima_a65_dequant>)

foreach(kind IN ITEMS static shared)
    add_library(SimaKernels::a65_dequant_${kind} ALIAS sima_a65_dequant_${kind})
    target_include_directories(sima_a65_dequant_${kind} INTERFACE
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>")
    set_target_properties(sima_a65_dequant_${kind} PROPERTIES
        EXPORT_NAME a65_dequant_${kind}
        LINKER_LANGUAGE C
        OUTPUT_NAME sima_a65_dequant)
    sima_compile_policy(sima_a65_dequant_${kind})
endforeach()

# Before 1.0 a minor version may change what the interface means in binary.
set_target_properties(sima_a65_dequant_shared PROPERTIES
    VERSION "${PROJECT_VERSION}"
    SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")

if(BUILD_SHARED_LIBS)
    set(chosen shared)
    set(other static)
else()
    set(chosen static)
    set(other shared)
endif()
add_library(SimaKernels::a65_dequant ALIAS sima_a65_dequant_${chosen})
if(NOT SIMA_INSTALL)
    set_target_properties(sima_a65_dequant_${other} PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
