#pragma once

#include "harness/emulated/program/cooperative_groups.hpp"
