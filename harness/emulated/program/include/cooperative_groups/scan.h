#pragma once

#include "harness/emulated/program/group_algorithms.hpp"
