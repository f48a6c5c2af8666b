// What operations and graphs require of a tensor's view.
#pragma once

#include <string_view>

#include "tensor/graph.h"

namespace gridstride::tensor {

/// Throws Refusal where x holds bytes: `what` names the operation.
void refuse_bytes(std::string_view what, const Tensor& x);
/// The view shows all of its node, as it lies: of bytes, whose rows are padded, in their own shape.
bool is_whole(const Tensor& x);

}  // namespace gridstride::tensor
