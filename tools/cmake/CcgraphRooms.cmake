# The rooms of a library: parts whose includes the compiler restricts.
#
# A room is a folder with two include roots. ROOM/include holds the headers that are installed. ROOM/lib holds sources,
# and in folders of it headers that only other rooms include. A room is compiled with its own roots and those of the
# rooms that it sees, directly or through another room. An include of any other room stops at "No such file"
# (house.ROOM_does_not_include_ROOM). Each room is an object library. ccgraph_join_rooms() joins the objects of all
# rooms of a folder into the one library that is installed. A room has one name in the whole project.

# ccgraph_add_room(ROOM [SEES rooms...] [LINKS targets...]): the target ccgraph_room_NAME, where NAME is the folder ROOM
# with _ for /. LINKS: libraries that the room alone includes. ccgraph_rooms_link, a variable of the folder: libraries
# that all its rooms include.
function(ccgraph_add_room room)
  cmake_parse_arguments(PARSE_ARGV 1 its "" "" "SEES;LINKS")
  string(REPLACE / _ name ${room})
  set(target ccgraph_room_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${room}/lib/*.cpp)
  add_library(${target} OBJECT ${sources})
  ccgraph_configure_target(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  foreach(root lib include)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/${root})
      target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/${room}/${root})
    endif()
  endforeach()
  set(seen ${its_SEES})
  foreach(lower IN LISTS its_SEES)
    get_property(below GLOBAL PROPERTY ccgraph_room_${lower}_sees)
    list(APPEND seen ${below})
  endforeach()
  list(TRANSFORM its_SEES REPLACE / _)
  list(TRANSFORM its_SEES PREPEND ccgraph_room_)
  target_link_libraries(${target} PUBLIC ${ccgraph_rooms_link} ${its_SEES} PRIVATE ${its_LINKS})
  set_property(GLOBAL PROPERTY ccgraph_room_${room}_sees ${seen})
  set_property(GLOBAL PROPERTY ccgraph_room_${room}_folder ${CMAKE_CURRENT_SOURCE_DIR}/${room})
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set_property(GLOBAL APPEND PROPERTY ccgraph_rooms_of_${folder} ${room})
endfunction()

# ccgraph_join_rooms(FOLDER links...): libccgraph_FOLDER from the objects of all rooms of the folder. Only the include/
# of each room reaches whoever links it.
function(ccgraph_join_rooms folder)
  get_property(rooms GLOBAL PROPERTY ccgraph_rooms_of_${folder})
  list(TRANSFORM rooms REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1/include/*.h" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${patterns})
  list(TRANSFORM rooms REPLACE / _)
  list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:ccgraph_room_\\1>")
  ccgraph_define_library(${folder} "${rooms}" "${headers}" ${ARGN})
  set_target_properties(ccgraph_${folder} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# ccgraph_open_rooms(TARGET FOLDERS...): tests and benchmarks may include the headers of all rooms of the folders.
function(ccgraph_open_rooms target)
  foreach(folder IN LISTS ARGN)
    get_property(rooms GLOBAL PROPERTY ccgraph_rooms_of_${folder})
    foreach(room IN LISTS rooms)
      get_property(place GLOBAL PROPERTY ccgraph_room_${room}_folder)
      target_include_directories(${target} PRIVATE ${place}/lib)
    endforeach()
  endforeach()
endfunction()
