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
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)          # lib/mpi, graphs/machine/import_hwloc.c
# All of them but MPI, as a linker takes them: for who links a static planbcast.
set(PLANBCAST_PRIVATE_LIBS ${IGRAPH_LDFLAGS} ${JANSSON_LDFLAGS} ${GSL_LDFLAGS} ${GLPK_LIBRARY} ${HWLOC_LDFLAGS} -pthread -lm)
list(REMOVE_DUPLICATES PLANBCAST_PRIVATE_LIBS)
