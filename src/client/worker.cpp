#include "client/worker.h"

#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/log.h"
#include "base/priority.h"
#include "base/shared_memory.h"
#include "client/reference_lab.h"
#include "client/request_queue.h"
#include "gpu/device.h"
#include "lab/request.h"
#include "lab/runner.h"
#include "lesson/lesson.h"
#include "storage/notices.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;

/// Shorter passes need no progress bar; longer ones need no faster updates.
constexpr double progress_delay = 0.3;
constexpr double progress_interval = 0.1;

/// A lab that has been idle for so long frees memory that the next request would take again.
constexpr std::chrono::seconds idle_time{10};

/// Sets up the process.
void set_up_process(int parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) std::_Exit(1);  // the parent ended before prctl()
    lower_process_priority();
    // Kernels that crash the driver are routine here and need no core dump.
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // The limit is for users' files. Some drivers back memory by files and crash if these cannot grow.
    rlimit files{};
    getrlimit(RLIMIT_FSIZE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_FSIZE, &files);
}

void read_messages(Channel& channel, RequestQueue& queue) {
    try {
        for (;;) {
            const Message message = channel.receive();
            if (message.has_lost_arrays) throw std::runtime_error("no file descriptor is left");
            switch (message.kind) {
                case MessageKind::request:
                    queue.push(decode<Request>(message));
                    break;
                case MessageKind::supersede:
                    queue.supersede();
                    break;
                case MessageKind::cancel:
                    queue.cancel();
                    break;
                default:
                    throw wire::MalformedMessage(
                        fmt::format("a message of kind {}, which the lab does not expect",
                                    static_cast<unsigned>(message.kind)));
            }
        }
    } catch (const ChannelClosed&) {
        // The client has ended or closed the lab.
    } catch (const std::exception& error) {
        log_error(fmt::format("the lab cannot read its client: {}", error.what()));
    }
    queue.end();
}

/// Returns a function for Control::on_slices that sends the progress of a long pass to the client.
auto make_progress_sender(Channel& channel, std::uint64_t request) {
    const Clock::time_point now = Clock::now();
    return [&channel, request, last_done = std::uint64_t{0}, pass_started = now, last_sent = now](
               std::uint64_t done, std::uint64_t all) mutable {
        if (done < last_done) pass_started = Clock::now();
        last_done = done;
        const double spent = seconds_since(pass_started);
        if (done >= all) {
            pass_started = Clock::now();
            last_done = 0;
        } else if (done > 0 && spent > progress_delay && seconds_since(last_sent) > progress_interval) {
            last_sent = Clock::now();
            const double seconds_left = spent / static_cast<double>(done) * static_cast<double>(all - done);
            channel.send(MessageKind::progress, RunProgress{request, done, all, seconds_left});
        }
    };
}

/// For the window; this process has already logged them.
void send_notices(Channel& channel) {
    for (const std::string& sentence : take_notices())
        channel.send(MessageKind::notice, sentence);
}

void serve_requests(Channel& channel, Runner& runner, RequestQueue& queue, const LessonLoader& load_lesson,
                    ReferenceLab& reference_lab) {
    const auto free_memory = [&] {
        reference_lab.stop();
        malloc_trim(0);
    };
    while (const std::shared_ptr<QueuedRequest> job = queue.pop(idle_time, free_memory)) {
        Request& request = job->request;
        Control& control = job->control;
        control.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                              std::chrono::duration<double>(request.deadline_seconds));
        control.on_slices = make_progress_sender(channel, request.id);
        if (load_lesson && request.lesson_files)
            load_lesson(request.lesson_folder, *std::exchange(request.lesson_files, std::nullopt));
        runner.run(request, control, [&](const Report& report) {
            // A device that missed its deadline is unusable; the next lab opens it anew.
            if (report.is_final && !runner.is_usable()) channel.send(MessageKind::leaving);
            send_report(channel, report);
            send_notices(channel);
        });
        if (!runner.is_usable()) std::_Exit(0);
        queue.done();
    }
}

}  // namespace

void send_report(Channel& channel, const Report& report) {
    std::string reason;
    try {
        return channel.send(MessageKind::report, report);
    } catch (const std::length_error& error) {
        reason = fmt::format("{}. Use fewer elements or fewer samples.", error.what());
    } catch (const SharedMemoryError& none) {
        reason = none.what();
    } catch (const std::bad_alloc&) {
        reason = "there is not enough memory. Close other programs.";
    }
    if (!report.is_final) return;
    channel.send(
        MessageKind::report,
        make_failed_report(report, fmt::format("The results of the run cannot be sent: {}", reason)));
}

int serve_lab(int socket, int parent, const LessonLoader& load_lesson) {
    set_up_process(parent);
    try {
        Channel channel(socket);
        const auto hello = decode<Hello>(channel.receive());
        if (hello.validation) gpu::enable_validation();
        ReferenceLab reference_lab;
        std::optional<Runner> runner;
        try {
            runner.emplace(hello.device, "/proc/self/exe", [&](Request request, const Control& control) {
                return reference_lab.run(std::move(request), control);
            });
        } catch (const NoDevice& none) {
            channel.send(MessageKind::no_device, std::string(none.what()));
            return 0;
        }
        channel.send(MessageKind::ready, runner->limits());
        send_notices(channel);
        RequestQueue queue;
        std::thread reader([&] { read_messages(channel, queue); });
        try {
            serve_requests(channel, *runner, queue, load_lesson, reference_lab);
        } catch (const ChannelClosed&) {
            // The client is gone, and nobody waits for the rest.
            std::_Exit(0);
        } catch (const std::exception& error) {
            // Exits without the reader's destructor, which would report a crash.
            log_error(fmt::format("the lab ends: {}", error.what()));
            std::_Exit(1);
        }
        reader.join();
        return 0;
    } catch (const std::exception& error) {
        log_error(fmt::format("the lab ends: {}", error.what()));
        std::_Exit(1);
    }
}

}  // namespace gridstride::lab
