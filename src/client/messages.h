// What travels between the lab and its client, as bytes: see base/wire.h.
#pragma once

#include <string>

#include "base/wire.h"
#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride {

template <class Wire>
void carry(Wire& wire, Values& values) {
    if constexpr (Wire::writes) {
        wire(values.entries());
    } else {
        std::vector<std::pair<std::string, Value>> entries;
        wire(entries);
        values = {};
        for (auto& [id, value] : entries)
            values.set(id, value);
    }
}

}  // namespace gridstride
