#include "session/keeper.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "session/kept_work.h"

namespace gridstride {

namespace {

constexpr std::chrono::seconds until_next_try{2};
/// How long the window's end waits for the disk.
constexpr std::chrono::seconds patience_at_end{5};

}  // namespace

/// The thread's as well: where a disk hangs, it outlives the window.
struct Keeper::State {
    /// What is to be written.
    struct ToKeep {
        std::deque<std::map<KernelKey, KernelEdit>> apart;
        std::deque<std::string> records;
        std::optional<std::string> json;
        bool worthwhile = false;
        std::vector<SessionFiles> to_remove;
        bool look = false;

        bool any() const { return !apart.empty() || !records.empty() || json || !to_remove.empty() || look; }
    };

    std::filesystem::path folder;

    std::mutex mutex;
    std::condition_variable something;
    ToKeep given;  ///< by the window
    bool ends = false, ended = false;
    std::optional<EarlierWork> earlier;
    std::optional<News> news;
    std::function<void()> on_change;

    // The thread's own.
    ToKeep waits;
    std::optional<SessionFiles> files;
    std::size_t written = 0;  ///< bytes of the journal, whole records all
    bool fails = false;

    void take_given() {
        for (auto& kernels : given.apart)
            waits.apart.push_back(std::move(kernels));
        for (std::string& record : given.records)
            waits.records.push_back(std::move(record));
        for (SessionFiles& old : given.to_remove)
            waits.to_remove.push_back(std::move(old));
        if (given.json) {
            waits.json = std::move(given.json);
            waits.worthwhile = given.worthwhile;
        }
        waits.look = waits.look || given.look;
        given = {};
    }

    void say(News what) {
        const std::lock_guard lock(mutex);
        news = std::move(what);
        if (on_change) on_change();
    }
};

namespace {

/// All of it or nothing. Throws FileError.
void add_whole(const SessionFiles& files, std::size_t& written, std::string_view record) {
    if (write_all(files.descriptor(), record) == record.size()) {
        written += record.size();
        return;
    }
    const int error = errno;
    if (::ftruncate(files.descriptor(), static_cast<off_t>(written)) != 0)
        log_debug("the end of the kept runs cannot be cut off");
    cannot_write(files.runs(), why_not_written(error));
}

}  // namespace

/// Throws FileError; what is done by then is done.
void Keeper::write(State& state) {
    State::ToKeep& waits = state.waits;
    for (; !waits.apart.empty(); waits.apart.pop_front())
        gridstride::keep_apart(state.folder, waits.apart.front());
    if (!state.files && (!waits.records.empty() || (waits.json && waits.worthwhile))) {
        state.files.emplace(state.folder);
        state.written = 0;
    }
    if (state.files) {
        if (state.written == 0) add_whole(*state.files, state.written, journal_head());
        for (; !waits.records.empty(); waits.records.pop_front())
            add_whole(*state.files, state.written, waits.records.front());
        if (waits.json) write_file(state.files->json(), *waits.json);
        waits.json.reset();
    }
    for (SessionFiles& old : waits.to_remove)
        old.remove();
    waits.to_remove.clear();
    if (!std::exchange(waits.look, false)) return;
    std::optional<EarlierWork> found = find_earlier_work(state.folder);
    const std::lock_guard lock(state.mutex);
    state.earlier = std::move(found);
    if (state.on_change) state.on_change();
}

Keeper::Keeper(std::filesystem::path folder, std::function<void()> on_change)
    : state_(std::make_shared<State>()) {
    state_->folder = std::move(folder);
    state_->on_change = std::move(on_change);
    std::thread([state = state_] {
        bool worthwhile = false;
        while (true) {
            bool last = false;
            {
                std::unique_lock lock(state->mutex);
                const auto has_more = [&] { return state->ends || state->given.any(); };
                if (state->fails)
                    state->something.wait_for(lock, until_next_try, [&] { return state->ends; });
                else
                    state->something.wait(lock, has_more);
                last = state->ends;
                state->take_given();
            }
            if (state->waits.json) worthwhile = state->waits.worthwhile;
            worthwhile = worthwhile || !state->waits.records.empty();
            try {
                write(*state);
                if (std::exchange(state->fails, false))
                    state->say({"Your runs and kernels are kept again.", false});
            } catch (const FileError& error) {
                if (!std::exchange(state->fails, true))
                    state->say(
                        {fmt::format("Your runs and kernels cannot be kept at the moment: they are in this "
                                     "window alone. {}",
                                     error.what()),
                         true});
                if (last) log_warning(fmt::format("Runs or kernels were lost. {}", error.what()));
            }
            if (!last) continue;
            if (state->files && !worthwhile) state->files->remove();
            state->files.reset();
            const std::lock_guard lock(state->mutex);
            state->ended = true;
            state->something.notify_all();
            return;
        }
    }).detach();
}

Keeper::~Keeper() {
    std::unique_lock lock(state_->mutex);
    state_->ends = true;
    state_->something.notify_all();
    if (!state_->something.wait_for(lock, patience_at_end, [this] { return state_->ended; }))
        log_warning("The disk takes too long to keep the last of your runs and kernels.");
    state_->on_change = nullptr;
    state_->earlier.reset();
}

void Keeper::keep(std::string json, bool worthwhile) {
    const std::lock_guard lock(state_->mutex);
    state_->given.json = std::move(json);
    state_->given.worthwhile = worthwhile;
    state_->something.notify_all();
}

void Keeper::add(std::string record) {
    const std::lock_guard lock(state_->mutex);
    state_->given.records.push_back(std::move(record));
    state_->something.notify_all();
}

void Keeper::keep_apart(std::map<KernelKey, KernelEdit> kernels) {
    const std::lock_guard lock(state_->mutex);
    state_->given.apart.push_back(std::move(kernels));
    state_->something.notify_all();
}

void Keeper::remove(SessionFiles files) {
    const std::lock_guard lock(state_->mutex);
    state_->given.to_remove.push_back(std::move(files));
    state_->something.notify_all();
}

void Keeper::look() {
    const std::lock_guard lock(state_->mutex);
    state_->given.look = true;
    state_->something.notify_all();
}

std::optional<EarlierWork> Keeper::take_earlier() {
    const std::lock_guard lock(state_->mutex);
    return std::exchange(state_->earlier, std::nullopt);
}

std::optional<Keeper::News> Keeper::take_news() {
    const std::lock_guard lock(state_->mutex);
    return std::exchange(state_->news, std::nullopt);
}

}  // namespace gridstride
