# Library, headers, tools, and what others find them by: a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/planbcast)
install(TARGETS planbcast EXPORT planbcast FILE_SET HEADERS)
install(TARGETS planbcast_tool)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The Python package, where PYTHONPATH or pip find it (Debian's packages put it elsewhere), and what its notebook reads.
set(PLANBCAST_PYTHON_DIR ${CMAKE_INSTALL_DATADIR}/planbcast/python CACHE STRING "Where the Python package is installed, below the prefix")
install(DIRECTORY lib/python/planbcast DESTINATION ${PLANBCAST_PYTHON_DIR} FILES_MATCHING PATTERN *.py)
install(FILES lib/python/pyproject.toml lib/python/three-sites.ipynb DESTINATION ${CMAKE_INSTALL_DATADIR}/planbcast/python)
install(DIRECTORY bench/clusters/ DESTINATION ${CMAKE_INSTALL_DATADIR}/planbcast/clusters FILES_MATCHING PATTERN *.json)
install(DIRECTORY lib/schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/planbcast/schemas FILES_MATCHING PATTERN *.schema.json)
if(PLANBCAST_MPI)
  install(TARGETS planbcast_mpi_tool planbcast-preload)
endif()
install(EXPORT planbcast NAMESPACE planbcast:: FILE planbcastTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/planbcastConfig.cmake.in planbcastConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(planbcastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/planbcastConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/planbcastConfigVersion.cmake
        DESTINATION ${package_dir})

# planbcast/mpi.h includes mpi.h and its users call MPI themselves: give them the MPI that the library was built with.
set(pc_cflags "")
set(pc_libs "")
if(PLANBCAST_MPI)
  foreach(dir IN LISTS MPI_C_INCLUDE_DIRS)
    string(APPEND pc_cflags " -I${dir}")
  endforeach()
  foreach(lib IN LISTS MPI_C_LIBRARIES)
    string(APPEND pc_libs " ${lib}")
  endforeach()
endif()
# A static library does not know what it needs.
set(pc_libs_private "")
if(NOT BUILD_SHARED_LIBS)
  list(JOIN PLANBCAST_PRIVATE_LIBS " " pc_libs_private)
endif()
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/planbcast.pc.in planbcast.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/planbcast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# An environment module, which moves with its prefix.
set(module_dir ${CMAKE_INSTALL_DATADIR}/planbcast/modulefiles/planbcast)
file(RELATIVE_PATH module_to_prefix /${module_dir} /)
configure_file(cmake/planbcast.module.in planbcast.module @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/planbcast.module DESTINATION ${module_dir} RENAME ${PROJECT_VERSION})
