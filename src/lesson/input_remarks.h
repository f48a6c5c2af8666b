// Remarks on the numbers of a user's file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lesson/experiment.h"

namespace gridstride {

/// Returns the place of the number with this index, counted from 1: "Row 3, column 5", or "Row 3" if
/// `columns` is 0.
std::string matrix_position(std::size_t number, std::size_t columns);

/// Returns sentences that describe what was changed or left out when the file was read and its numbers were
/// converted to this type. Each names the file.
std::vector<std::string> conversion_remarks(const UserData& data, ElementType type);

}  // namespace gridstride
