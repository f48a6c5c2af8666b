// A cache for values that are expensive to compute and needed again in the next frames.
#pragma once

#include <imgui.h>

#include <string>
#include <unordered_map>
#include <utility>

namespace gridstride::ui {

/// Caches values by a key that must identify everything they are computed from. Entries that were not used
/// for max_age_frames frames are evicted. References stay valid until the end of the frame.
template <typename Value>
class FrameCache {
 public:
    template <typename Make>
    const Value& get(const std::string& key, const Make& make) {
        const int frame = ImGui::GetFrameCount();
        if (frame != frame_) evict(frame);
        const auto found = entries_.find(key);
        Entry& entry = found != entries_.end() ? found->second
                                               : entries_.emplace(key, Entry{make(), frame}).first->second;
        entry.used = frame;
        return entry.value;
    }

 private:
    static constexpr int max_age_frames = 240;
    static constexpr std::size_t min_eviction_size = 256;  // no eviction below this number of entries

    struct Entry {
        Value value;
        int used;
    };
    void evict(int frame) {
        frame_ = frame;
        if (entries_.size() < min_eviction_size) return;
        // A new ImGui context restarts the frame count, so entries with a higher count are old.
        std::erase_if(entries_, [frame](const auto& item) {
            return item.second.used > frame || frame - item.second.used > max_age_frames;
        });
    }

    std::unordered_map<std::string, Entry> entries_;
    int frame_ = -1;
};

}  // namespace gridstride::ui
