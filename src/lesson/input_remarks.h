// What there is to say of the numbers of a user's file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lesson/experiment.h"

namespace gridstride {

/// "Row 3, column 5", counted from 1, of the number behind so many others; without columns "Row 3".
std::string place_in_matrix(std::size_t number, std::size_t columns);

/// What was changed or left out as the file was read and its numbers became this type: sentences that name
/// it.
std::vector<std::string> remarks_on(const UserData& data, ElementType type);

}  // namespace gridstride
