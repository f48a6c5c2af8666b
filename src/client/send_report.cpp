#include "client/send_report.h"

#include <fmt/format.h>

#include <new>
#include <stdexcept>

#include "base/no_shared_memory.h"
#include "client/messages.h"
#include "lab/begin_report.h"

namespace gridstride::lab {

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

}  // namespace gridstride::lab
