install(TARGETS planbcast EXPORT planbcastTargets FILE_SET HEADERS)
