#include "ui/widgets/hit_area.h"

#include <algorithm>

namespace gridstride::ui {

bool hit_area(const std::string& id, glm::vec2 size) {
    return ImGui::InvisibleButton(id.c_str(), {std::max(1.0F, size.x), std::max(1.0F, size.y)});
}

}  // namespace gridstride::ui
