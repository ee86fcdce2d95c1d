# SimGrid's MPI in place of a real one: MPI::MPI_C, for programs that run in simulated time under bench/simulate.
find_path(SIMGRID_INCLUDE_DIR smpi/mpi.h REQUIRED)
set(SMPI_INCLUDE_DIR ${SIMGRID_INCLUDE_DIR}/smpi)
find_library(SIMGRID_LIBRARY simgrid REQUIRED)
add_library(MPI::MPI_C INTERFACE IMPORTED)
target_include_directories(MPI::MPI_C SYSTEM INTERFACE ${SMPI_INCLUDE_DIR})
# What smpicc does: clocks, sleeps and getopt are the simulated rank's. Memory stays what it is.
target_compile_options(MPI::MPI_C INTERFACE "SHELL:-include ${SMPI_INCLUDE_DIR}/smpi_helpers.h")
target_compile_definitions(MPI::MPI_C INTERFACE PLANBCAST_SIMULATED SMPI_NO_OVERRIDE_MALLOC)
target_link_libraries(MPI::MPI_C INTERFACE ${SIMGRID_LIBRARY})

# SMPI loads programs, so they are shared objects whose main can be seen.
function(planbcast_smpi_program target)
  target_compile_options(${target} PRIVATE -fPIC)
  target_link_options(${target} PRIVATE -shared)
  set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET default)
endfunction()
