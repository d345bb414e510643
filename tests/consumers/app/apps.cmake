# SPDX-License-Identifier: Apache-2.0
#
# One program for each language that the including project speaks.

if("C" IN_LIST CONSUMER_LANGUAGES)
    add_executable(app_c "${CMAKE_CURRENT_LIST_DIR}/app.c")
    target_link_libraries(app_c PRIVATE SimaKernels::a65_dequant)
    install(TARGETS app_c)
endif()
if("CXX" IN_LIST CONSUMER_LANGUAGES)
    add_executable(app_cxx "${CMAKE_CURRENT_LIST_DIR}/../../cxx/contract_sample.cpp")
    target_compile_features(app_cxx PRIVATE cxx_std_20)
    target_link_libraries(app_cxx PRIVATE SimaKernels::a65_dequant)
    install(TARGETS app_cxx)
endif()
