#include "base/file_work.h"

#include <atomic>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace gridstride {

namespace {

std::atomic<int> threads_at_work = 0;

/// Runs the action and returns its error message, or an empty string.
std::string problem_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Cancelled&) {
        // The caller that cancelled needs no message.
    } catch (const std::bad_alloc&) {
        return "There is not enough free memory. Close other programs, or choose a smaller file.";
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

}  // namespace

struct FileWork::State {
    FileProgress progress;
    std::mutex mutex;  ///< guards the members below
    std::function<void()> wake;
    bool ended = false;
    Then then;
    std::string problem;

    void end_with(Then left, std::string said) {
        const std::lock_guard lock(mutex);
        then = std::move(left);
        problem = std::move(said);
        ended = true;
        if (wake) wake();
    }
};

void FileWork::start(Work work) {
    give_up();
    state_ = std::make_shared<State>();
    state_->wake = wake;
    auto run = [state = state_, work = std::move(work)]() mutable {
        Then then;
        std::string problem = problem_of([&] { then = work(state->progress); });
        work = nullptr;
        state->end_with(std::move(then), std::move(problem));
    };
    try {
        start_file_thread(std::move(run));
    } catch (const std::system_error&) {
        state_->end_with({}, "The system cannot start another thread. Close other programs and try again.");
    }
}

const FileProgress* FileWork::progress() const {
    return state_ ? &state_->progress : nullptr;
}

void FileWork::give_up() {
    if (!state_) return;
    {
        const std::lock_guard lock(state_->mutex);
        state_->wake = nullptr;
    }
    state_->progress.cancelled = true;
    state_.reset();
}

std::optional<std::string> FileWork::take() {
    if (!state_) return std::nullopt;
    Then then;
    std::string problem;
    {
        const std::lock_guard lock(state_->mutex);
        if (!state_->ended) return std::nullopt;
        then = std::move(state_->then);
        problem = std::move(state_->problem);
    }
    state_.reset();
    if (then) problem = problem_of(then);
    return problem;
}

void start_file_thread(std::function<void()> work) {
    ++threads_at_work;
    try {
        // Not std::async: its future blocks in the destructor.
        std::thread([work = std::move(work)]() mutable {
            work();
            // Destroys the captures, also a cancelled result, before this thread counts as ended.
            work = nullptr;
            --threads_at_work;
        }).detach();
    } catch (...) {
        --threads_at_work;
        throw;
    }
}

bool file_work_ends_within(std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (threads_at_work > 0 && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return threads_at_work == 0;
}

}  // namespace gridstride
