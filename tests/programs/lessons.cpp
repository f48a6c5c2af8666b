// The lessons of this test program.
#include "programs/doubling.h"

namespace gridstride {

std::vector<std::shared_ptr<const Lesson>> built_in_lessons() {
    return {std::shared_ptr<const Lesson>(std::shared_ptr<void>(), &lessons::doubling::lesson())};
}

}  // namespace gridstride
