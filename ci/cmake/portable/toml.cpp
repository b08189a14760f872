// toml++ as a static library: the distribution has a shared one alone.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
