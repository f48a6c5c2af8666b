#include "tensor_graph/tensor_graph.h"

namespace gridstride::lessons::tensor_graph {

std::vector<Plot> pictures(const PictureInput&) {
    return {};
}

}  // namespace gridstride::lessons::tensor_graph
