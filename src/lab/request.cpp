#include "lab/request.h"

namespace gridstride::lab {

double default_deadline_seconds(const Limits& device) {
    return device.is_cpu ? 120 : 60;
}

}  // namespace gridstride::lab
