# What people read: manual pages, made from the tools' help and the headers' docstrings.
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
