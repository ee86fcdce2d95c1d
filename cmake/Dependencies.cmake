# Every outside library, found once, with the component that may use it.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)                                   # lib
pkg_check_modules(IGRAPH REQUIRED IMPORTED_TARGET igraph>=0.10)  # graphs
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)      # graphs, planner, lib
pkg_check_modules(GSL REQUIRED IMPORTED_TARGET gsl)              # planner, lib
find_path(GLPK_INCLUDE_DIR glpk.h REQUIRED)                      # lp
find_library(GLPK_LIBRARY glpk REQUIRED)
add_library(planbcast_glpk INTERFACE)
target_include_directories(planbcast_glpk SYSTEM INTERFACE ${GLPK_INCLUDE_DIR})
target_link_libraries(planbcast_glpk INTERFACE ${GLPK_LIBRARY})
if(PLANBCAST_MPI)                                                # lib
  if(PLANBCAST_SMPI)
    include(cmake/Smpi.cmake)
  else()
    find_package(MPI REQUIRED COMPONENTS C)
  endif()
endif()
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.1)     # lib/mpi, graphs/machine/import_hwloc.c
# XPMEM's library, of which no Debian package exists. Cray calls its package cray-xpmem.
set(PLANBCAST_HAS_XPMEM OFF)
add_library(planbcast_xpmem INTERFACE)                           # lib/mpi/execute/mapped_memory.c
if(PLANBCAST_MPI AND PLANBCAST_XPMEM AND NOT PLANBCAST_SMPI)
  pkg_search_module(XPMEM QUIET xpmem cray-xpmem)
  find_path(XPMEM_INCLUDE_DIR xpmem.h HINTS ${XPMEM_INCLUDE_DIRS})
  find_library(XPMEM_LIBRARY xpmem HINTS ${XPMEM_LIBRARY_DIRS})
  if(XPMEM_INCLUDE_DIR AND XPMEM_LIBRARY)
    set(PLANBCAST_HAS_XPMEM ON)
    target_include_directories(planbcast_xpmem SYSTEM INTERFACE ${XPMEM_INCLUDE_DIR})
    target_compile_definitions(planbcast_xpmem INTERFACE PLANBCAST_HAS_XPMEM)
    target_link_libraries(planbcast_xpmem INTERFACE ${XPMEM_LIBRARY})
  endif()
  message(STATUS "XPMEM: ${PLANBCAST_HAS_XPMEM}")
endif()
# All of them but MPI, as a linker takes them: for who links a static planbcast.
set(PLANBCAST_PRIVATE_LIBS ${IGRAPH_LDFLAGS} ${JANSSON_LDFLAGS} ${GSL_LDFLAGS} ${GLPK_LIBRARY} ${HWLOC_LDFLAGS} -pthread -lm)
if(PLANBCAST_HAS_XPMEM)
  list(APPEND PLANBCAST_PRIVATE_LIBS ${XPMEM_LIBRARY})
endif()
list(REMOVE_DUPLICATES PLANBCAST_PRIVATE_LIBS)
