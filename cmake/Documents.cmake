# What people read, and their shell. Manual pages are made from the tools' help and the headers' docstrings.
find_program(PLANBCAST_AWK awk)
if(PLANBCAST_AWK AND NOT CMAKE_CROSSCOMPILING AND NOT PLANBCAST_SMPI AND NOT PLANBCAST_SANITIZE) # the tools run
  set(manual ${PROJECT_BINARY_DIR}/manual)
  set(tools $<TARGET_FILE:planbcast_tool>)
  if(PLANBCAST_MPI)
    list(APPEND tools $<TARGET_FILE:planbcast_mpi_tool>)
  endif()
  set(makers make help.awk headers.awk roff.awk)
  list(TRANSFORM makers PREPEND ${PROJECT_SOURCE_DIR}/cmake/manual/)
  add_custom_command(OUTPUT ${manual}.stamp
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/manual/make ${manual} ${PROJECT_VERSION} ${tools} -- ${PLANBCAST_PUBLIC_HEADERS}
    COMMAND ${CMAKE_COMMAND} -E touch ${manual}.stamp
    DEPENDS ${tools} ${makers} ${PLANBCAST_PUBLIC_HEADERS}
    COMMENT "Making manual pages" VERBATIM)
  add_custom_target(manual ALL DEPENDS ${manual}.stamp)
  install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()

# Completion for bash, which looks for a file of the command's name.
foreach(tool planbcast planbcast-mpi)
  install(FILES cmake/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${tool})
endforeach()
install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The docstrings as HTML, by Doxygen: cmake --build build/release --target reference.
find_package(Doxygen QUIET)
if(DOXYGEN_FOUND)
  set(DOXYGEN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/reference)
  set(DOXYGEN_INPUT_FILTER "sed -f ${PROJECT_SOURCE_DIR}/cmake/manual/doxygen.sed")
  set(DOXYGEN_STRIP_FROM_PATH ${PLANBCAST_INCLUDE_DIRS})
  set(DOXYGEN_STRIP_FROM_INC_PATH ${PLANBCAST_INCLUDE_DIRS})
  set(DOXYGEN_INCLUDE_PATH ${PLANBCAST_INCLUDE_DIRS})
  set(DOXYGEN_MACRO_EXPANSION YES)
  set(DOXYGEN_EXPAND_ONLY_PREDEF YES)
  set(DOXYGEN_PREDEFINED PLAN_API= DOXYGEN)
  set(DOXYGEN_OPTIMIZE_OUTPUT_FOR_C YES)
  set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
  set(DOXYGEN_TYPEDEF_HIDES_STRUCT YES)
  set(DOXYGEN_GENERATE_LATEX NO)
  set(DOXYGEN_HAVE_DOT NO)
  set(DOXYGEN_QUIET YES)
  set(DOXYGEN_WARN_IF_UNDOCUMENTED NO) # members and macros may speak for themselves; a test asks for functions
  set(DOXYGEN_WARN_IF_INCOMPLETE_DOC NO)
  set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
  doxygen_add_docs(reference ${PLANBCAST_PUBLIC_HEADERS})
  install(DIRECTORY ${PROJECT_BINARY_DIR}/reference/html/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/reference OPTIONAL)
endif()
