# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: libraries, tools, headers, the CMake package `dnnl` and dnnl.pc. Nothing in
# the installed tree knows where it stands, so that it can be moved.
include(CMakePackageConfigHelpers)

install(TARGETS dnnl EXPORT dnnl-targets)
install(EXPORT dnnl-targets NAMESPACE DNNL:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dnnl)

# Products that not every build has. Programs find our libraries beside their own folder, libraries in theirs.
foreach(product dnnl_sycl lode-info lode-bench)
  if(TARGET ${product})
    set_target_properties(${product} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS ${product})
  endif()
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/tools/bench/lode-bench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

set(package ${PROJECT_BINARY_DIR}/package)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/dnnl-config.cmake.in ${package}/dnnl-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dnnl)
write_basic_package_version_file(${package}/dnnl-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${package}/dnnl-config.cmake ${package}/dnnl-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dnnl)

file(RELATIVE_PATH PC_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" PC_TO_PREFIX ${PC_TO_PREFIX})
set(PC_SYSTEM_LIBS "-lpthread -lm -ldl")
if(ONEDNN_LIBRARY_TYPE STREQUAL "STATIC")
  set(PC_LIBS " ${PC_SYSTEM_LIBS}")
else()
  set(PC_LIBS "")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/dnnl.pc.in ${package}/dnnl.pc @ONLY)
install(FILES ${package}/dnnl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
