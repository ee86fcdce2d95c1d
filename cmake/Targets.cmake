# One object library per component. The MPI-free components make the archive planbcast-core, which the offline tool and the tests
# link. Users link libplanbcast, the runtime, and libplanbcast-planner, which the runtime opens when it plans.
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

# planbcast_version(TARGET): the version of a shared library. Before 1.0, every minor version may change the binary interface.
function(planbcast_version target)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION}
                                             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_options(${target} PRIVATE ${PLANBCAST_LTO})
  if(NOT PLANBCAST_SANITIZE) # whose runtime comes with the program
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()

# planbcast_objects(TARGET COMPONENT...): the objects of components become part of a library.
function(planbcast_objects target)
  foreach(component IN LISTS ARGN)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:planbcast_${component}>)
  endforeach()
endfunction()

function(planbcast_assemble)
  # Plans in memory, which the runtime has as well as the planner; and the planner with all that it needs.
  set(plans base trees plans)
  set(core ${plans} graphs lp planner)
  set(outside PkgConfig::IGRAPH PkgConfig::JANSSON PkgConfig::GSL planbcast_glpk Threads::Threads m)
  set(runtime ${plans})
  set(planner ${core})
  if(PLANBCAST_MPI)
    list(APPEND runtime mpi tuning)
    list(APPEND planner infer decide tuning)
    list(APPEND outside PkgConfig::HWLOC)
  endif()

  add_library(planbcast-core STATIC)
  planbcast_objects(planbcast-core ${core})
  target_include_directories(planbcast-core PUBLIC ${PROJECT_SOURCE_DIR} ${PLANBCAST_INCLUDE_DIRS})
  target_link_libraries(planbcast-core PUBLIC planbcast_settings PkgConfig::IGRAPH PkgConfig::JANSSON PkgConfig::GSL
                                              planbcast_glpk Threads::Threads m)
  # What samples of a machine say: of use beside MPI alone, but free of it, and tested so.
  add_library(planbcast-infer STATIC)
  planbcast_objects(planbcast-infer infer)
  target_link_libraries(planbcast-infer PUBLIC planbcast-core PkgConfig::GSL m)

  # libplanbcast, the runtime: planbcast/mpi.h, and plans in memory. libplanbcast-planner: everything else of the public
  # headers; the runtime opens it when there is something to plan or to measure. A static libplanbcast holds both.
  add_library(planbcast)
  add_library(planbcast::planbcast ALIAS planbcast)
  target_sources(planbcast PUBLIC FILE_SET HEADERS BASE_DIRS ${PLANBCAST_INCLUDE_DIRS}
                                  FILES ${PLANBCAST_PUBLIC_HEADERS})
  target_link_libraries(planbcast PRIVATE $<BUILD_INTERFACE:planbcast_settings>)
  planbcast_version(planbcast)
  if(BUILD_SHARED_LIBS)
    add_library(planbcast-planner SHARED)
    planbcast_objects(planbcast ${runtime})
    planbcast_objects(planbcast-planner ${planner})
    target_link_libraries(planbcast PRIVATE $<BUILD_INTERFACE:Threads::Threads> m ${CMAKE_DL_LIBS})
    target_link_libraries(planbcast-planner PRIVATE $<BUILD_INTERFACE:planbcast_settings> "$<BUILD_INTERFACE:${outside}>")
    target_include_directories(planbcast-planner INTERFACE "$<BUILD_INTERFACE:${PLANBCAST_INCLUDE_DIRS}>"
                                                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    if(PLANBCAST_SMPI) # whose clock every file with mpi.h uses
      target_link_libraries(planbcast-planner PRIVATE $<BUILD_INTERFACE:MPI::MPI_C>)
    endif()
    # Both hold plans in memory. The planner uses its own, whatever a program has.
    target_link_options(planbcast-planner PRIVATE -Wl,-Bsymbolic)
    planbcast_version(planbcast-planner)
  else()
    add_library(planbcast-planner INTERFACE)
    target_link_libraries(planbcast-planner INTERFACE planbcast)
    list(APPEND runtime ${planner})
    list(REMOVE_DUPLICATES runtime)
    planbcast_objects(planbcast ${runtime})
    target_link_libraries(planbcast PRIVATE "$<BUILD_INTERFACE:${outside}>"
                                    INTERFACE "$<INSTALL_INTERFACE:${PLANBCAST_PRIVATE_LIBS}>")
  endif()
  add_library(planbcast::planner ALIAS planbcast-planner)
  set_target_properties(planbcast-planner PROPERTIES EXPORT_NAME planner)

  if(PLANBCAST_MPI)
    if(BUILD_SHARED_LIBS)
      planbcast_objects(planbcast open)
    else()
      planbcast_objects(planbcast linked)
    endif()
    target_link_libraries(planbcast PUBLIC MPI::MPI_C PRIVATE $<BUILD_INTERFACE:planbcast_xpmem>)
    # What rank 0 does, as an archive that is free of MPI, too; and the MPI side: its tests reach hidden symbols.
    add_library(planbcast-decide STATIC)
    planbcast_objects(planbcast-decide decide tuning)
    target_link_libraries(planbcast-decide PUBLIC planbcast-infer planbcast-core PkgConfig::HWLOC)
    add_library(planbcast-mpi-side STATIC)
    planbcast_objects(planbcast-mpi-side mpi linked)
    target_link_libraries(planbcast-mpi-side PUBLIC planbcast-decide planbcast-infer planbcast-core MPI::MPI_C
                                                PRIVATE planbcast_xpmem)
    # Takes MPI_Bcast's place in programs that are started with LD_PRELOAD.
    set(preload ${PROJECT_SOURCE_DIR}/lib/mpi/preload)
    add_library(planbcast-preload SHARED ${preload}/gains.c ${preload}/intercept.c ${preload}/plans.c ${preload}/saved.c
                                         ${preload}/settings.c ${preload}/tally.c ${PROJECT_SOURCE_DIR}/lib/base/number.c)
    target_include_directories(planbcast-preload PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(planbcast-preload PRIVATE PLANBCAST_BUILDING)
    target_link_libraries(planbcast-preload PRIVATE planbcast planbcast_settings MPI::MPI_C Threads::Threads
                                                    ${CMAKE_DL_LIBS} m)
    set_target_properties(planbcast-preload PROPERTIES INSTALL_RPATH $ORIGIN)
  endif()
endfunction()
