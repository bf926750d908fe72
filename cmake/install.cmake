# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: libraries, tools, headers, the CMake package `dnnl` and dnnl.pc. Nothing in
# the installed tree knows where it stands, so that it can be moved.
include(CMakePackageConfigHelpers)

# Components are the packages of package.cmake: library, development, driver, tools.
install(TARGETS dnnl EXPORT dnnl-targets LIBRARY COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development)
install(EXPORT dnnl-targets NAMESPACE DNNL:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dnnl COMPONENT development)

# Products that not every build has. Programs find our libraries beside their own folder, libraries in theirs.
foreach(product dnnl_sycl lode-info lode-bench)
  if(TARGET ${product})
    set_target_properties(${product} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS ${product} LIBRARY COMPONENT library NAMELINK_COMPONENT development RUNTIME COMPONENT tools)
  endif()
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/tools/bench/lode-bench.1 ${PROJECT_SOURCE_DIR}/tools/info/lode-info.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  COMPONENT tools)
foreach(tool lode-info lode-bench)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/completion/lode-tools RENAME ${tool}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp"
  PATTERN CMakeFiles EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lode COMPONENT library)

set(package ${PROJECT_BINARY_DIR}/package)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/dnnl-config.cmake.in ${package}/dnnl-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dnnl)
write_basic_package_version_file(${package}/dnnl-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${package}/dnnl-config.cmake ${package}/dnnl-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dnnl COMPONENT development)

file(RELATIVE_PATH PC_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" PC_TO_PREFIX ${PC_TO_PREFIX})
set(PC_SYSTEM_LIBS "-lpthread -lm -ldl")
if(ONEDNN_LIBRARY_TYPE STREQUAL "STATIC")
  set(PC_LIBS " ${PC_SYSTEM_LIBS}")
else()
  set(PC_LIBS "")
endif()
set(PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
set(PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
set(PC_CFLAGS "")
configure_file(${CMAKE_CURRENT_LIST_DIR}/dnnl.pc.in ${package}/dnnl.pc @ONLY)
install(FILES ${package}/dnnl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# The build folder is a prefix, too, as long as it and the sources stay where they are.
set(in_build ${PROJECT_BINARY_DIR}/lib/cmake/dnnl)
export(TARGETS dnnl lode_flags NAMESPACE DNNL:: FILE ${in_build}/dnnl-targets.cmake)
configure_file(${package}/dnnl-config.cmake ${in_build}/dnnl-config.cmake COPYONLY)
configure_file(${package}/dnnl-config-version.cmake ${in_build}/dnnl-config-version.cmake COPYONLY)
set(PC_TO_PREFIX ../..)
set(PC_LIBDIR lib)
set(PC_INCLUDEDIR include)
set(PC_CFLAGS " -I${PROJECT_SOURCE_DIR}/include")
configure_file(${CMAKE_CURRENT_LIST_DIR}/dnnl.pc.in ${PROJECT_BINARY_DIR}/lib/pkgconfig/dnnl.pc @ONLY)
