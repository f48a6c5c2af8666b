// The lessons of this test program.
#include "programs/doubling.h"

namespace gridstride {

std::vector<const Lesson*> built_in_lessons() {
    return {&lessons::doubling::lesson()};
}

}  // namespace gridstride
