#include "storage/notices.h"

#include <mutex>
#include <set>
#include <utility>

#include "base/log.h"

namespace gridstride {

namespace {

std::mutex notices_mutex;
std::set<std::string> all_notices;
std::vector<std::string> new_notices;

}  // namespace

void notify_user(const std::string& sentence, bool once) {
    const std::lock_guard lock(notices_mutex);
    if (!all_notices.insert(sentence).second && once) return;
    log_warning(sentence);
    new_notices.push_back(sentence);
}

void queue_notice(std::string sentence) {
    const std::lock_guard lock(notices_mutex);
    all_notices.insert(sentence);
    new_notices.push_back(std::move(sentence));
}

std::vector<std::string> take_notices() {
    const std::lock_guard lock(notices_mutex);
    return std::exchange(new_notices, {});
}

}  // namespace gridstride
