// The lab's side of the lab process.
#pragma once

#include <functional>
#include <string>

#include "client/channel.h"
#include "lesson/lesson_files.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// Registers the lesson of these files.
using LessonLoader = std::function<void(const std::string& folder, LessonFiles files)>;

/// Serves requests until the client closes the socket or ends. Returns the process's exit code. Calls
/// load_lesson, unless it is empty, for a request that brings its lesson's files.
int serve_lab(int socket, int parent, const LessonLoader& load_lesson = {});

/// Sends a report of any size. If it cannot be sent (over the channel's limits, or out of memory), a final
/// report is sent as failed, without its results, and any other is dropped. Throws ChannelClosed.
void send_report(Channel& channel, const Report& report);

}  // namespace gridstride::lab
