#include "session/keeper.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/file_work.h"
#include "base/log.h"
#include "session/kept_work.h"

namespace gridstride {

namespace {

constexpr std::chrono::seconds until_next_try{2};

}  // namespace

/// Shared with the thread, because a thread blocked by a hung disk outlives the window.
struct Keeper::State {
    struct ToKeep {
        struct Record {
            std::shared_ptr<const Report> report;
            bool is_cell = false;
        };
        std::deque<std::map<KernelKey, KernelEdit>> apart;
        std::deque<Record> records;
        std::optional<Work> work;
        bool worthwhile = false;
        std::vector<SessionFiles> to_remove;
        bool look = false;
        std::function<void()> also;

        bool any() const {
            return !apart.empty() || !records.empty() || work || !to_remove.empty() || look || also;
        }
    };

    std::filesystem::path folder;

    std::mutex mutex;
    std::condition_variable something;
    ToKeep given;  ///< from the window
    bool ends = false, ended = false;
    std::optional<EarlierWork> earlier;
    std::optional<News> news;
    std::function<void()> on_change;

    ToKeep waits;
    std::optional<SessionFiles> files;
    std::size_t written = 0;  ///< size of the journal in bytes, up to the end of the last complete record
    std::string json;         ///< the last version on disk
    bool fails = false;

    void take_given() {
        for (auto& kernels : given.apart)
            waits.apart.push_back(std::move(kernels));
        for (ToKeep::Record& record : given.records)
            waits.records.push_back(std::move(record));
        for (SessionFiles& old : given.to_remove)
            waits.to_remove.push_back(std::move(old));
        if (given.work) {
            waits.work = std::move(given.work);
            waits.worthwhile = given.worthwhile;
        }
        if (given.also) waits.also = std::move(given.also);
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

/// Appends the whole record or nothing. Throws FileError.
void add_whole(const SessionFiles& files, std::size_t& written, std::string_view record) {
    if (write_all(files.descriptor(), record) == record.size()) {
        written += record.size();
        return;
    }
    const int error = errno;
    if (::ftruncate(files.descriptor(), static_cast<off_t>(written)) != 0)
        log_debug("the journal of runs cannot be truncated");
    cannot_write(files.runs(), why_not_written(error));
}

}  // namespace

/// Throws FileError, and whatever ToKeep::also throws. Requests that were completed before are not repeated.
void Keeper::write(State& state) {
    State::ToKeep& waits = state.waits;
    for (; !waits.apart.empty(); waits.apart.pop_front())
        gridstride::keep_apart(state.folder, waits.apart.front());
    if (!state.files && (!waits.records.empty() || (waits.work && waits.worthwhile))) {
        state.files.emplace(state.folder);
        state.written = 0;
    }
    if (state.files) {
        const std::size_t synced = state.written;
        if (state.written == 0) add_whole(*state.files, state.written, journal_head());
        for (const auto& [report, is_cell] : waits.records)
            add_whole(*state.files, state.written,
                      is_cell ? record_of_cell(*report) : record_of_run(*report));
        if (state.written > synced && !sync_file(state.files->descriptor())) {
            const int error = errno;
            // The next attempt writes them again.
            if (::ftruncate(state.files->descriptor(), static_cast<off_t>(synced)) == 0)
                state.written = synced;
            cannot_write(state.files->runs(), why_not_written(error));
        }
        waits.records.clear();
        if (waits.work) {
            waits.work->order = next_order(state.folder, &*state.files);
            std::string json = format_work(*waits.work);
            if (json != state.json) write_file(state.files->json(), json);
            state.json = std::move(json);
            waits.work.reset();
        }
    }
    for (SessionFiles& old : waits.to_remove)
        old.remove();
    waits.to_remove.clear();
    if (std::exchange(waits.look, false)) {
        {
            // Release the lock of the previous result first, or the new search would skip that session.
            const std::lock_guard lock(state.mutex);
            state.earlier.reset();
        }
        std::optional<EarlierWork> found = find_earlier_work(state.folder);
        const std::lock_guard lock(state.mutex);
        state.earlier = std::move(found);
        if (state.on_change) state.on_change();
    }
    // Last, because it may have to wait for other windows.
    if (waits.also) waits.also();
    waits.also = nullptr;
}

Keeper::Keeper(std::filesystem::path folder, std::function<void()> on_change,
               std::chrono::milliseconds patience_at_end)
    : state_(std::make_shared<State>()), patience_at_end_(patience_at_end) {
    state_->folder = std::move(folder);
    state_->on_change = std::move(on_change);
    start_file_thread([state = state_] {
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
            if (state->waits.work) worthwhile = state->waits.worthwhile;
            worthwhile = worthwhile || !state->waits.records.empty();
            try {
                write(*state);
                if (std::exchange(state->fails, false))
                    state->say({"Your runs, kernels and answers are saved again.", false});
            } catch (const std::exception& error) {
                if (!std::exchange(state->fails, true))
                    state->say({fmt::format("Your runs, kernels and answers cannot be saved at the moment "
                                            "and exist only in this window. {}",
                                            error.what()),
                                true});
                if (last) log_warning(fmt::format("Runs, kernels or answers were lost. {}", error.what()));
            }
            if (!last) continue;
            if (state->files && !worthwhile) state->files->remove();
            state->files.reset();
            const std::lock_guard lock(state->mutex);
            state->ended = true;
            state->something.notify_all();
            return;
        }
    });
}

Keeper::~Keeper() {
    std::unique_lock lock(state_->mutex);
    state_->ends = true;
    state_->something.notify_all();
    if (!state_->something.wait_for(lock, patience_at_end_, [this] { return state_->ended; }))
        log_warning(
            "The disk takes too long: the last of your runs, kernels and answers may not have been saved.");
    state_->on_change = nullptr;
    state_->earlier.reset();
}

template <class Change>
void Keeper::give(Change change) {
    const std::lock_guard lock(state_->mutex);
    change(state_->given);
    state_->something.notify_all();
}

void Keeper::keep(Work work, bool worthwhile) {
    give([&](State::ToKeep& given) {
        given.work = std::move(work);
        given.worthwhile = worthwhile;
    });
}

void Keeper::add_run(std::shared_ptr<const Report> run) {
    give([&](State::ToKeep& given) { given.records.push_back({std::move(run)}); });
}

void Keeper::add_cell(std::shared_ptr<const Report> cell) {
    give([&](State::ToKeep& given) { given.records.push_back({std::move(cell), true}); });
}

void Keeper::keep_apart(std::map<KernelKey, KernelEdit> kernels) {
    give([&](State::ToKeep& given) { given.apart.push_back(std::move(kernels)); });
}

void Keeper::remove(SessionFiles files) {
    give([&](State::ToKeep& given) { given.to_remove.push_back(std::move(files)); });
}

void Keeper::write_also(std::function<void()> write) {
    give([&](State::ToKeep& given) { given.also = std::move(write); });
}

void Keeper::look() {
    give([](State::ToKeep& given) { given.look = true; });
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
