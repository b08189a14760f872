#pragma once

#include <string>
#include <vector>

#include "harness/present/table.hpp"

/// Pages in the Markdown of GitHub and GitLab.
namespace ridgeline::present {

/// What would end a cell or start markup is written so that it does not.
std::string markdown_cell(const std::string& text);

/// A table whose cells are Markdown already; titles are not.
std::string markdown_table(const std::vector<Table::Column>& columns,
                           const std::vector<std::vector<std::string>>& rows);

}  // namespace ridgeline::present
