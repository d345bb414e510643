# SPDX-License-Identifier: Apache-2.0
#
# cpack: one Debian package with the libraries, the headers and the tool.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME simakernels)
set(CPACK_PACKAGE_VENDOR SimaKernels)
set(CPACK_PACKAGE_CONTACT "SimaKernels developers <simakernels@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()

include(CPack)
