# One object library per component. The MPI-free components make the archive planbcast-core, which the offline tool and the tests
# link; everything together makes libplanbcast, which users link.
add_library(planbcast_settings INTERFACE)
target_compile_definitions(planbcast_settings INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_compile_options(planbcast_settings INTERFACE
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wvla
  $<$<BOOL:${PLANBCAST_WERROR}>:-Werror>)
if(PLANBCAST_SANITIZE)
  target_compile_options(planbcast_settings INTERFACE
    -fsanitize=${PLANBCAST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(planbcast_settings INTERFACE -fsanitize=${PLANBCAST_SANITIZE})
endif()

# Released code is optimised across files: a plan takes a twentieth less time. The objects hold machine code, too, which
# tests and benchmarks link as it is (-fno-lto), for that is quicker. Not with warnings as errors: clang's tools read
# the commands of such builds, and know other options.
set(PLANBCAST_LTO "")
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT PLANBCAST_SANITIZE
   AND NOT PLANBCAST_SMPI AND NOT PLANBCAST_WERROR)
  include(CheckIPOSupported)
  check_ipo_supported(RESULT PLANBCAST_HAS_LTO LANGUAGES C)
  if(PLANBCAST_HAS_LTO)
    set(PLANBCAST_LTO -flto=auto -ffat-lto-objects)
  endif()
endif()

# What a program that runs under MPI links, besides the MPI side: for the leak checker.
add_library(planbcast_under_mpi INTERFACE)
if(PLANBCAST_SANITIZE)
  target_sources(planbcast_under_mpi INTERFACE ${PROJECT_SOURCE_DIR}/tests/sanitizers/keep_modules.c)
endif()

# Where headers are found in the tree; made ones stand in the build folder.
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in ${PROJECT_BINARY_DIR}/include/planbcast/version.h @ONLY)
set(PLANBCAST_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/lib/include ${PROJECT_BINARY_DIR}/include)

# planbcast_component(NAME SOURCES... [LIBS ...]): the objects of one component.
function(planbcast_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(planbcast_${name} OBJECT ${ARG_SOURCES})
  target_include_directories(planbcast_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PLANBCAST_INCLUDE_DIRS})
  target_compile_definitions(planbcast_${name} PRIVATE PLANBCAST_BUILDING)
  target_compile_options(planbcast_${name} PRIVATE ${PLANBCAST_LTO})
  target_link_libraries(planbcast_${name} PUBLIC planbcast_settings ${ARG_LIBS})
endfunction()

set(PLANBCAST_PUBLIC_HEADERS status.h platform.h tree.h schedule.h generate.h steady.h heuristics.h plan.h)
list(TRANSFORM PLANBCAST_PUBLIC_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/lib/include/planbcast/)
list(APPEND PLANBCAST_PUBLIC_HEADERS ${PROJECT_SOURCE_DIR}/lib/include/planbcast.h
                                     ${PROJECT_BINARY_DIR}/include/planbcast/version.h)
if(PLANBCAST_MPI)
  list(APPEND PLANBCAST_PUBLIC_HEADERS ${PROJECT_SOURCE_DIR}/lib/include/planbcast/mpi.h
                                       ${PROJECT_SOURCE_DIR}/lib/include/planbcast/preload.h)
endif()

function(planbcast_assemble)
  set(core base graphs lp planner)
  set(outside PkgConfig::IGRAPH PkgConfig::JANSSON PkgConfig::GSL planbcast_glpk Threads::Threads m)

  add_library(planbcast-core STATIC)
  add_library(planbcast)
  add_library(planbcast::planbcast ALIAS planbcast)
  foreach(component IN LISTS core)
    target_sources(planbcast-core PRIVATE $<TARGET_OBJECTS:planbcast_${component}>)
    target_sources(planbcast PRIVATE $<TARGET_OBJECTS:planbcast_${component}>)
  endforeach()
  target_include_directories(planbcast-core PUBLIC ${PROJECT_SOURCE_DIR} ${PLANBCAST_INCLUDE_DIRS})
  target_link_libraries(planbcast-core PUBLIC planbcast_settings ${outside})

  target_sources(planbcast PUBLIC FILE_SET HEADERS BASE_DIRS ${PLANBCAST_INCLUDE_DIRS}
                                  FILES ${PLANBCAST_PUBLIC_HEADERS})
  target_link_libraries(planbcast PRIVATE $<BUILD_INTERFACE:planbcast_settings> "$<BUILD_INTERFACE:${outside}>")
  if(NOT BUILD_SHARED_LIBS)
    target_link_libraries(planbcast INTERFACE "$<INSTALL_INTERFACE:${PLANBCAST_PRIVATE_LIBS}>")
  endif()
  target_link_options(planbcast PRIVATE ${PLANBCAST_LTO})
  if(NOT PLANBCAST_SANITIZE) # whose runtime comes with the program
    target_link_options(planbcast PRIVATE -Wl,--no-undefined)
  endif()
  # Before 1.0, every minor version may change the binary interface.
  set_target_properties(planbcast PROPERTIES VERSION ${PROJECT_VERSION}
                                             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  # What samples of a machine say: of use beside MPI alone, but free of it, and tested so.
  add_library(planbcast-infer STATIC $<TARGET_OBJECTS:planbcast_infer>)
  target_link_libraries(planbcast-infer PUBLIC planbcast-core PkgConfig::GSL m)
  if(PLANBCAST_MPI)
    target_sources(planbcast PRIVATE $<TARGET_OBJECTS:planbcast_mpi> $<TARGET_OBJECTS:planbcast_infer>)
    target_link_libraries(planbcast PUBLIC MPI::MPI_C PRIVATE $<BUILD_INTERFACE:PkgConfig::HWLOC>)
    # The MPI side as an archive too: its tests reach hidden symbols.
    add_library(planbcast-mpi-side STATIC $<TARGET_OBJECTS:planbcast_mpi>)
    target_link_libraries(planbcast-mpi-side PUBLIC planbcast-infer planbcast-core MPI::MPI_C PkgConfig::HWLOC)
    # Takes MPI_Bcast's place in programs that are started with LD_PRELOAD.
    set(preload ${PROJECT_SOURCE_DIR}/lib/mpi/preload)
    add_library(planbcast-preload SHARED ${preload}/gains.c ${preload}/intercept.c ${preload}/plans.c ${preload}/saved.c
                                         ${preload}/settings.c ${preload}/tally.c)
    target_include_directories(planbcast-preload PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(planbcast-preload PRIVATE PLANBCAST_BUILDING)
    target_link_libraries(planbcast-preload PRIVATE planbcast planbcast_settings MPI::MPI_C Threads::Threads
                                                    ${CMAKE_DL_LIBS} m)
    set_target_properties(planbcast-preload PROPERTIES INSTALL_RPATH $ORIGIN)
  endif()
endfunction()
