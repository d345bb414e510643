# SPDX-License-Identifier: Apache-2.0
#
# cmake --install and cpack. What is installed names no absolute path: the tree may be moved.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

foreach(directory IN ITEMS LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${directory}}")
        message(FATAL_ERROR "CMAKE_INSTALL_${directory} is an absolute path, "
            "${CMAKE_INSTALL_${directory}}; give it relative to the prefix, so that what is "
            "installed can be moved, or set SIMA_INSTALL=OFF")
    endif()
endforeach()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/SimaKernels")
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(TARGETS sima_a65_dequant_static sima_a65_dequant_shared
    EXPORT SimaKernelsTargets
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY include/simaai DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT SimaKernelsTargets NAMESPACE SimaKernels:: DESTINATION "${package_dir}")

set(SIMA_DEFAULT_SHARED OFF)
if(BUILD_SHARED_LIBS)
    set(SIMA_DEFAULT_SHARED ON)
endif()
configure_package_config_file(cmake/SimaKernelsConfig.cmake.in SimaKernelsConfig.cmake
    INSTALL_DESTINATION "${package_dir}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(SimaKernelsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    "${CMAKE_CURRENT_BINARY_DIR}/SimaKernelsConfig.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/SimaKernelsConfigVersion.cmake"
    DESTINATION "${package_dir}")

# From the directory of the .pc file up to the prefix.
file(RELATIVE_PATH SIMA_PC_TO_PREFIX "/prefix/${pkgconfig_dir}" /prefix)
string(REGEX REPLACE "/$" "" SIMA_PC_TO_PREFIX "${SIMA_PC_TO_PREFIX}")
configure_file(cmake/simakernels-a65-dequant.pc.in simakernels-a65-dequant.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/simakernels-a65-dequant.pc"
    DESTINATION "${pkgconfig_dir}")
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/simakernels")

if(SIMA_IS_TOP_LEVEL)
    include(cmake/package.cmake)
endif()
