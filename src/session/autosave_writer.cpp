#include "session/autosave_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/file_worker.h"
#include "base/language.h"
#include "base/log.h"
#include "session/saved_session_format.h"

namespace gridstride {

namespace {

constexpr std::chrono::seconds retry_delay{2};

}  // namespace

/// Shared with the thread, because a thread blocked by a hung disk outlives the window.
struct AutosaveWriter::State {
    struct PendingWrites {
        struct Record {
            std::shared_ptr<const Report> report;
            bool is_cell = false;
        };
        std::deque<std::map<KernelKey, KernelEdit>> separate_kernels;
        std::deque<Record> records;
        std::optional<SavedSession> session;
        bool has_content = false;
        std::vector<SessionFiles> to_remove;
        bool search_earlier = false;
        std::function<void()> extra_write;

        bool any() const {
            return !separate_kernels.empty() || !records.empty() || session || !to_remove.empty() ||
                   search_earlier || extra_write;
        }
    };

    std::filesystem::path folder;

    std::mutex mutex;
    std::condition_variable changed;
    PendingWrites incoming;  ///< from the window
    bool is_stopping = false, is_stopped = false;
    std::optional<EarlierSession> earlier;
    std::optional<Message> message;
    std::function<void()> on_change;

    PendingWrites pending;
    std::optional<SessionFiles> files;
    std::size_t written_bytes = 0;  ///< of the journal, up to the end of its last complete record
    std::string json;               ///< the last version on disk
    bool is_failing = false;

    void take_incoming() {
        for (auto& kernels : incoming.separate_kernels)
            pending.separate_kernels.push_back(std::move(kernels));
        for (PendingWrites::Record& record : incoming.records)
            pending.records.push_back(std::move(record));
        for (SessionFiles& old : incoming.to_remove)
            pending.to_remove.push_back(std::move(old));
        if (incoming.session) {
            pending.session = std::move(incoming.session);
            pending.has_content = incoming.has_content;
        }
        if (incoming.extra_write) pending.extra_write = std::move(incoming.extra_write);
        pending.search_earlier = pending.search_earlier || incoming.search_earlier;
        incoming = {};
    }

    void post_message(Message what) {
        const std::lock_guard lock(mutex);
        message = std::move(what);
        if (on_change) on_change();
    }
};

namespace {

/// Appends the whole record or nothing. Throws FileError.
void append_record(const SessionFiles& files, std::size_t& written_bytes, std::string_view record) {
    if (write_all(files.descriptor(), record) == record.size()) {
        written_bytes += record.size();
        return;
    }
    const int error = errno;
    if (::ftruncate(files.descriptor(), static_cast<off_t>(written_bytes)) != 0)
        log_debug("the journal of runs cannot be truncated");
    throw_cannot_write(files.runs(), write_error_text(error));
}

}  // namespace

/// Throws FileError, and whatever PendingWrites::extra_write throws. Requests that were completed before are
/// not repeated.
void AutosaveWriter::write(State& state) {
    State::PendingWrites& pending = state.pending;
    for (; !pending.separate_kernels.empty(); pending.separate_kernels.pop_front())
        gridstride::save_separately(state.folder, pending.separate_kernels.front());
    if (!state.files && (!pending.records.empty() || (pending.session && pending.has_content))) {
        state.files.emplace(state.folder);
        state.written_bytes = 0;
    }
    if (state.files) {
        const std::size_t synced_bytes = state.written_bytes;
        if (state.written_bytes == 0) append_record(*state.files, state.written_bytes, journal_header());
        for (const auto& [report, is_cell] : pending.records)
            append_record(*state.files, state.written_bytes,
                          is_cell ? encode_cell(*report) : encode_run(*report));
        if (state.written_bytes > synced_bytes && !sync_file(state.files->descriptor())) {
            const int error = errno;
            // The next attempt writes them again.
            if (::ftruncate(state.files->descriptor(), static_cast<off_t>(synced_bytes)) == 0)
                state.written_bytes = synced_bytes;
            throw_cannot_write(state.files->runs(), write_error_text(error));
        }
        pending.records.clear();
        if (pending.session) {
            pending.session->order = next_order(state.folder, &*state.files);
            std::string json = format_session(*pending.session);
            if (json != state.json) write_file(state.files->json(), json);
            state.json = std::move(json);
            pending.session.reset();
        }
    }
    for (SessionFiles& old : pending.to_remove)
        old.remove();
    pending.to_remove.clear();
    if (std::exchange(pending.search_earlier, false)) {
        {
            // Release the lock of the previous result first, or the new search would skip that session.
            const std::lock_guard lock(state.mutex);
            state.earlier.reset();
        }
        std::optional<EarlierSession> found = find_earlier_session(state.folder);
        const std::lock_guard lock(state.mutex);
        state.earlier = std::move(found);
        if (state.on_change) state.on_change();
    }
    // Last, because it may have to wait for other windows.
    if (pending.extra_write) pending.extra_write();
    pending.extra_write = nullptr;
}

AutosaveWriter::AutosaveWriter(std::filesystem::path folder, std::function<void()> on_change,
                               std::chrono::milliseconds shutdown_timeout)
    : state_(std::make_shared<State>()), shutdown_timeout_(shutdown_timeout) {
    state_->folder = std::move(folder);
    state_->on_change = std::move(on_change);
    start_file_thread([state = state_] {
        bool has_content = false;
        while (true) {
            bool last = false;
            {
                std::unique_lock lock(state->mutex);
                const auto has_more = [&] { return state->is_stopping || state->incoming.any(); };
                if (state->is_failing)
                    state->changed.wait_for(lock, retry_delay, [&] { return state->is_stopping; });
                else
                    state->changed.wait(lock, has_more);
                last = state->is_stopping;
                state->take_incoming();
            }
            if (state->pending.session) has_content = state->pending.has_content;
            has_content = has_content || !state->pending.records.empty();
            try {
                write(*state);
                if (std::exchange(state->is_failing, false))
                    state->post_message({tr("Your runs, kernels and answers are saved again."), false});
            } catch (const std::exception& error) {
                if (!std::exchange(state->is_failing, true))
                    state->post_message({tr("Your runs, kernels and answers cannot be saved at the moment "
                                            "and exist only in this window. {}",
                                            error.what()),
                                         true});
                if (last) log_warning(fmt::format("Runs, kernels or answers were lost. {}", error.what()));
            }
            if (!last) continue;
            if (state->files && !has_content) state->files->remove();
            state->files.reset();
            const std::lock_guard lock(state->mutex);
            state->is_stopped = true;
            state->changed.notify_all();
            return;
        }
    });
}

AutosaveWriter::~AutosaveWriter() {
    std::unique_lock lock(state_->mutex);
    state_->is_stopping = true;
    state_->changed.notify_all();
    if (!state_->changed.wait_for(lock, shutdown_timeout_, [this] { return state_->is_stopped; }))
        log_warning(fmt::format(
            "The disk did not respond in {} ms: the last of your runs, kernels and answers may not "
            "have been saved.",
            shutdown_timeout_.count()));
    state_->on_change = nullptr;
    state_->earlier.reset();
}

template <class Change>
void AutosaveWriter::queue_change(Change change) {
    const std::lock_guard lock(state_->mutex);
    change(state_->incoming);
    state_->changed.notify_all();
}

void AutosaveWriter::save(SavedSession session, bool has_content) {
    queue_change([&](State::PendingWrites& incoming) {
        incoming.session = std::move(session);
        incoming.has_content = has_content;
    });
}

void AutosaveWriter::add_run(std::shared_ptr<const Report> run) {
    queue_change([&](State::PendingWrites& incoming) { incoming.records.push_back({std::move(run)}); });
}

void AutosaveWriter::add_cell(std::shared_ptr<const Report> cell) {
    queue_change([&](State::PendingWrites& incoming) {
        incoming.records.push_back({std::move(cell), true});
    });
}

void AutosaveWriter::save_separately(std::map<KernelKey, KernelEdit> kernels) {
    queue_change(
        [&](State::PendingWrites& incoming) { incoming.separate_kernels.push_back(std::move(kernels)); });
}

void AutosaveWriter::remove(SessionFiles files) {
    queue_change([&](State::PendingWrites& incoming) { incoming.to_remove.push_back(std::move(files)); });
}

void AutosaveWriter::queue_extra_write(std::function<void()> write) {
    queue_change([&](State::PendingWrites& incoming) { incoming.extra_write = std::move(write); });
}

void AutosaveWriter::search_earlier() {
    queue_change([](State::PendingWrites& incoming) { incoming.search_earlier = true; });
}

std::optional<EarlierSession> AutosaveWriter::take_earlier_session() {
    const std::lock_guard lock(state_->mutex);
    return std::exchange(state_->earlier, std::nullopt);
}

std::optional<AutosaveWriter::Message> AutosaveWriter::take_message() {
    const std::lock_guard lock(state_->mutex);
    return std::exchange(state_->message, std::nullopt);
}

}  // namespace gridstride
