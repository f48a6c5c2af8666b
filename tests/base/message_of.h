// What a call complains about.
#pragma once

#include <string>

namespace gridstride::test {

/// The message of the Error that call() throws; a text that no message holds when it throws none.
template <class Error, class Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "(nothing was thrown)";
}

}  // namespace gridstride::test
