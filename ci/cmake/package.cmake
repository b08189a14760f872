# `cpack -G TGZ`: the programs, the profiles, the reports and the nightly job in one folder that
# runs from anywhere.
foreach(program ridgeline ridgeline-suites ridgeline-collectives ridgeline-emulated)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION bin)
  endif()
endforeach()
install(DIRECTORY suites/profiles DESTINATION suites FILES_MATCHING PATTERN *.toml)
install(FILES suites/claims.toml suites/ladders.toml DESTINATION suites)
install(DIRECTORY reports DESTINATION . PATTERN __pycache__ EXCLUDE PATTERN .*_cache EXCLUDE PATTERN *_test.py EXCLUDE
        PATTERN conftest.py EXCLUDE PATTERN browser.py EXCLUDE PATTERN synthetic*.py EXCLUDE)
install(DIRECTORY harness/python/ridgeline DESTINATION harness/python FILES_MATCHING PATTERN *.py)
install(PROGRAMS ci/nightly ci/preflight DESTINATION ci)
install(DIRECTORY ci/night DESTINATION ci FILES_MATCHING PATTERN *.py PATTERN *_test.py EXCLUDE PATTERN conftest.py EXCLUDE
        PATTERN __pycache__ EXCLUDE)
# Messages name pages of these.
install(DIRECTORY docs DESTINATION . PATTERN __pycache__ EXCLUDE PATTERN *_test.py EXCLUDE PATTERN build EXCLUDE)
foreach(file README.md CHANGELOG.md LICENSE)
  install(FILES ${file} DESTINATION . OPTIONAL)
endforeach()

# Licences of what is linked statically ask to go where the programs go.
if(RIDGELINE_PORTABLE)
  foreach(package libbenchmark-dev libboost-dev libcli11-dev libfmt-dev libgomp1 libopenblas-openmp-dev libsqlite3-dev
                  libsqlitecpp-dev libtomlplusplus-dev nlohmann-json3-dev)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION licenses RENAME ${package}.txt OPTIONAL)
  endforeach()
  if(RIDGELINE_CUDNN_HEADERS)
    install(DIRECTORY ${RIDGELINE_CUDNN_HEADERS}/../licenses/ DESTINATION licenses/cudnn-frontend OPTIONAL)
  endif()
  add_test(NAME portable COMMAND ${PROJECT_SOURCE_DIR}/ci/check_portable ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME ridgeline-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
include(CPack)
