// Returns the message of the error that a call throws.
#pragma once

#include <string>

namespace gridstride::test {

/// This text occurs in no message.
inline constexpr const char* not_thrown = "(nothing was thrown)";

/// The message of the Error that call() throws, or not_thrown.
template <class Error, class Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return not_thrown;
}

}  // namespace gridstride::test
