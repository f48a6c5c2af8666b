#include "client/worker.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/log.h"
#include "base/priority.h"
#include "base/shared_memory.h"
#include "client/mailbox.h"
#include "gpu/device.h"
#include "lab/request.h"
#include "lab/runner.h"
#include "storage/notices.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;

/// A pass that is over sooner needs no progress bar, and one needs no faster news than this.
constexpr double seconds_without_progress = 0.3;
constexpr double seconds_between_news = 0.1;

/// What is true of the process for its whole life.
void settle_in(int parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) std::_Exit(1);  // it ended before that
    work_behind_the_window();
    // A kernel that crashes the driver is an everyday thing here; its memory need not be written to disk.
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // Meant for files that people keep. Some drivers keep memory in files, and die where they may not grow.
    rlimit files{};
    getrlimit(RLIMIT_FSIZE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_FSIZE, &files);
}

void read_messages(Channel& channel, Mailbox& mailbox) {
    try {
        for (;;) {
            const Message message = channel.receive();
            if (message.arrays_lost) throw std::runtime_error("there is no file descriptor left");
            switch (message.kind) {
                case MessageKind::request:
                    mailbox.put(decode<Request>(message));
                    break;
                case MessageKind::supersede:
                    mailbox.supersede();
                    break;
                case MessageKind::cancel:
                    mailbox.cancel();
                    break;
                default:
                    throw wire::Malformed("a message that the lab does not take");
            }
        }
    } catch (const ChannelClosed&) {
        // The client has ended, or is done with the lab.
    } catch (const std::exception& error) {
        log_error(fmt::format("the lab cannot read its client: {}", error.what()));
    }
    mailbox.end();
}

/// Tells the client how far a long pass has come: see Control::on_slices.
auto teller(Channel& channel, std::uint64_t request) {
    const Clock::time_point now = Clock::now();
    return [&channel, request, last_done = std::uint64_t{0}, pass_started = now, last_told = now](
               std::uint64_t done, std::uint64_t all) mutable {
        if (done < last_done) pass_started = Clock::now();
        last_done = done;
        const double spent = seconds_since(pass_started);
        if (done >= all) {
            pass_started = Clock::now();
            last_done = 0;
        } else if (done > 0 && spent > seconds_without_progress &&
                   seconds_since(last_told) > seconds_between_news) {
            last_told = Clock::now();
            const double left = spent / static_cast<double>(done) * static_cast<double>(all - done);
            channel.send(MessageKind::progress, Progress{request, done, all, left});
        }
    };
}

/// The window shows them; this process has written them to its log.
void send_notices(Channel& channel) {
    for (const std::string& sentence : take_notices())
        channel.send(MessageKind::notice, sentence);
}

void carry_out(Channel& channel, Runner& runner, Mailbox& mailbox) {
    while (const std::shared_ptr<Job> job = mailbox.take()) {
        const Request& request = job->request;
        Control& control = job->control;
        control.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                              std::chrono::duration<double>(request.deadline_seconds));
        control.on_slices = teller(channel, request.id);
        runner.run(request, control, [&](const Report& report) {
            // A device that did not finish in time never will: the next lab opens it anew.
            if (report.final && !runner.usable()) channel.send(MessageKind::leaving);
            send_report(channel, report);
            send_notices(channel);
        });
        if (!runner.usable()) std::_Exit(0);
        mailbox.done();
    }
}

}  // namespace

void send_report(Channel& channel, const Report& report) {
    std::string why;
    try {
        return channel.send(MessageKind::report, report);
    } catch (const std::length_error& error) {
        why = fmt::format("{}. Take fewer elements or fewer samples.", error.what());
    } catch (const NoSharedMemory& none) {
        why = none.what();
    } catch (const std::bad_alloc&) {
        why = "there is not enough memory. Close other programs.";
    }
    if (!report.final) return;
    channel.send(MessageKind::report,
                 without_results(report, fmt::format("The results of the run cannot be sent: {}", why)));
}

int serve_lab(int socket, int parent) {
    settle_in(parent);
    try {
        Channel channel(socket);
        const auto hello = decode<Hello>(channel.receive());
        if (hello.validation) gpu::enable_validation();
        std::optional<Runner> runner;
        try {
            runner.emplace(hello.device);
        } catch (const NoDevice& none) {
            channel.send(MessageKind::no_device, std::string(none.what()));
            return 0;
        }
        channel.send(MessageKind::ready, runner->limits());
        send_notices(channel);
        Mailbox mailbox;
        std::thread reader([&] { read_messages(channel, mailbox); });
        try {
            carry_out(channel, *runner, mailbox);
        } catch (const ChannelClosed&) {
            // The client is gone; nobody waits for the rest.
            std::_Exit(0);
        } catch (const std::exception& error) {
            // Not by way of the reader's destructor, which would call it a crash.
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
