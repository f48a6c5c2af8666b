// A report on its way to the client, whatever its size.
#pragma once

#include "client/channel.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// Sends it. One that cannot be sent, because it is over the channel's limits or memory is short, is sent as
/// failed and without its results if it is final, and left out if it is not. Throws ChannelClosed.
void send_report(Channel& channel, const Report& report);

}  // namespace gridstride::lab
