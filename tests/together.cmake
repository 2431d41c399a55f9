# Test files compiled several to a source: two thirds of what a compiler does for one of them are the headers that all of
# them include. docs/decisions/044.

# talus_add_tests(TARGET FILES...): the files as sources of the target. Their names must not meet: the namespace talus of
# each becomes one of its own inside talus, after the headers of all have been read. Files that open another namespace are
# compiled by themselves.
function(talus_add_tests target)
  set(waiting)
  foreach(file IN LISTS ARGN)
    file(STRINGS ${file} opens REGEX "^namespace talus {$")
    if(opens AND file MATCHES "_test[.]cpp$" AND TALUS_FILES_PER_SOURCE GREATER 1)
      list(APPEND waiting ${file})
    else()
      target_sources(${target} PRIVATE ${file})
    endif()
  endforeach()
  # what a file includes is read here: look again when it changes
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${waiting})

  set(part 0)
  while(waiting)
    list(SUBLIST waiting 0 ${TALUS_FILES_PER_SOURCE} files)
    list(REMOVE_ITEM waiting ${files})
    set(headers)
    set(bodies)
    set(number 0)
    foreach(file IN LISTS files)
      file(STRINGS ${file} includes REGEX "^#include ")
      list(APPEND headers ${includes})
      string(APPEND bodies "\nnamespace talus::file_${number} {\nusing namespace talus;\n}\n"
             "#define talus talus::file_${number}\n#include \"${file}\"\n#undef talus\n")
      math(EXPR number "${number} + 1")
    endforeach()
    list(REMOVE_DUPLICATES headers)
    string(JOIN "\n" headers ${headers})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/together/${target}_${part}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "${headers}\n${bodies}" @ONLY)
    target_sources(${target} PRIVATE ${source})
    math(EXPR part "${part} + 1")
  endwhile()
endfunction()
