// The first message to a lab: what it is to be.
#pragma once

#include <string>

namespace gridstride::lab {

struct Hello {
    std::string device;       ///< as in gpu::choose_device()
    bool validation = false;  ///< turn the validation layers on
};

}  // namespace gridstride::lab
