#include "text_lesson/folder_setting.h"

#include <algorithm>

#include "base/text.h"

namespace gridstride::text_lesson {

namespace {

auto find_loader(auto& loaders, const std::string& folder) {
    return std::ranges::find_if(loaders, [&](const auto& one) { return one->folder() == folder; });
}

}  // namespace

void FolderSetting::load(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
        if (find_loader(loaders_, folder) != loaders_.end()) continue;
        loaders_.push_back(std::make_unique<FolderLoader>(folder, wake_));
        loaders_.back()->load();
    }
}

void FolderSetting::add(std::unique_ptr<FolderLoader> loaded) {
    const auto same = find_loader(loaders_, loaded->folder());
    if (same == loaders_.end())
        loaders_.push_back(std::move(loaded));
    else
        *same = std::move(loaded);
}

void FolderSetting::remove(std::size_t index) {
    loaders_.erase(loaders_.begin() + static_cast<std::ptrdiff_t>(index));
}

bool FolderSetting::pump() {
    bool changed = false;
    for (const std::unique_ptr<FolderLoader>& loader : loaders_)
        changed = loader->pump() || changed;
    return changed;
}

bool FolderSetting::is_busy() const {
    return std::ranges::any_of(loaders_, [](const auto& loader) { return loader->is_busy(); });
}

std::vector<std::string> FolderSetting::folders() const {
    std::vector<std::string> folders;
    for (const std::unique_ptr<FolderLoader>& loader : loaders_)
        folders.push_back(loader->folder());
    return folders;
}

const FolderLoader* FolderSetting::first_failed() const {
    const auto failed =
        std::ranges::find_if(loaders_, [](const auto& loader) { return !loader->errors().empty(); });
    return failed == loaders_.end() ? nullptr : failed->get();
}

bool FolderSetting::can_store(const std::string& folder) {
    return printable(folder) == folder;
}

}  // namespace gridstride::text_lesson
