#include "base/child_process.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/holder.h"
#include "test_includes.h"

namespace gridstride::child_process_test {

using std::chrono::milliseconds;

/// A shell whose standard input and output are the socket.
ChildProgram shell(const std::string& words) {
    return {"The shell",
            "/bin/sh",
            {"-c", words},
            {ChildDescriptor::socket, ChildDescriptor::socket, ChildDescriptor::nothing}};
}

/// Reads until the other end is closed or, if `line`, until a whole line has arrived.
std::string heard(int socket, bool line = false) {
    std::string text;
    for (char c = 0; !(line && c == '\n') && read(socket, &c, 1) == 1;)
        text += c;
    return text;
}

int next_descriptor() {
    const int next = dup(STDERR_FILENO);
    close(next);
    return next;
}

class ChildProcesses : public ::testing::Test {
 protected:
    void TearDown() override {
        EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process is left, or was never reaped";
        EXPECT_EQ(next_descriptor(), descriptor_before_);
    }
    int descriptor_before_ = next_descriptor();
};

TEST_F(ChildProcesses, ReportTheExitCode) {
    ChildProcess child(shell("exit 7"));
    const ProcessEnd end = child.end(patience);
    EXPECT_EQ(end.exit_code, 7);
    EXPECT_FALSE(end.signal);
    EXPECT_FALSE(end.was_killed);
    EXPECT_FALSE(end.lingers);
}

TEST_F(ChildProcesses, ReportTheSignal) {
    ChildProcess child(shell("kill -USR1 $$"));
    const ProcessEnd end = child.end(patience);
    EXPECT_FALSE(end.exit_code);
    EXPECT_EQ(end.signal, SIGUSR1);
    EXPECT_FALSE(end.was_killed);
}

TEST_F(ChildProcesses, AreKilledAtTheTimeout) {
    ChildProcess child(shell("exec sleep 10000"));
    const ProcessEnd end = child.end(milliseconds(10));
    EXPECT_EQ(end.signal, SIGKILL);
    EXPECT_TRUE(end.was_killed);
    EXPECT_FALSE(end.lingers);
}

TEST_F(ChildProcesses, ReportTheProcessorTime) {
    ChildProcess child(shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"));
    EXPECT_GT(child.end(patience).cpu_seconds, 0);
}

TEST_F(ChildProcesses, EndWithTheirHandle) {
    const ChildProcess child(shell("exec sleep 10000"));
}

TEST_F(ChildProcesses, MissingProgramIsNotAResourceShortage) {
    const auto start = [] { ChildProcess({"The child", "/no/such/program", {}, {}}); };
    EXPECT_THAT(message_of<std::runtime_error>(start), Mentions("no/such/program", "child"));
    try {
        start();
    } catch (const ResourceShortage&) {
        ADD_FAILURE() << "the caller would retry";
    } catch (const std::runtime_error&) {
    }
}

TEST_F(ChildProcesses, MissingDescriptorsGiveAdvice) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit one{static_cast<rlim_t>(next_descriptor()) + 1, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &one);
    const std::string message = message_of<ResourceShortage>([] { ChildProcess child(shell("exit 0")); });
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(message,
              "The shell cannot be started: socketpair: Too many open files. Close other programs, or raise "
              "the limit (ulimit -n).");
}

TEST_F(ChildProcesses, CommunicateOverTheSocket) {
    ChildProcess child(shell("cat"));
    ASSERT_EQ(write(child.socket(), "words", 5), 5);
    shutdown(child.socket(), SHUT_WR);
    EXPECT_EQ(heard(child.socket()), "words");
    EXPECT_EQ(child.end(patience).exit_code, 0);
}

TEST_F(ChildProcesses, ReleasedSocketBelongsToTheCaller) {
    int socket = -1;
    {
        ChildProcess child(shell("echo here"));
        socket = child.release_socket();
        child.end(patience);
    }
    EXPECT_EQ(heard(socket), "here\n");
    close(socket);
}

TEST_F(ChildProcesses, InheritOnlyTheGivenDescriptors) {
    const ScratchFolder folder;
    const std::ofstream open(folder / "open");  // this descriptor is not close-on-exec
    // ls lists the descriptors of the shell, not its own. The ":" keeps the shell alive meanwhile.
    ChildProgram program = shell("ls /proc/$$/fd; readlink /proc/$$/fd/0; :");
    program.files = {ChildDescriptor::nothing, ChildDescriptor::socket, ChildDescriptor::inherited};
    {
        ChildProcess child(program);
        EXPECT_EQ(heard(child.socket()), "0\n1\n2\n/dev/null\n");
        child.end(patience);
    }
    program.files.push_back(ChildDescriptor::socket);
    ChildProcess child(program);
    EXPECT_EQ(heard(child.socket()), "0\n1\n2\n3\n/dev/null\n");
    child.end(patience);
}

TEST_F(ChildProcesses, HaveDefaultFolderAndSignals) {
    const auto before = signal(SIGPIPE, SIG_IGN);
    // The test starts grep directly, because a shell would unblock the signals.
    ChildProgram program = shell("");
    program.path = "/bin/grep";
    program.arguments = {"-E", "Sig(Blk|Ign)", "/proc/self/status"};
    ChildProcess child(program);
    signal(SIGPIPE, before);
    // Signals 1, 2 and 15 are SIGHUP, SIGINT and SIGTERM; glibc uses 32 and 33 itself.
    EXPECT_THAT(heard(child.socket()),
                ::testing::MatchesRegex("SigBlk:\t0000000000004003\nSigIgn:\t[0-9a-f]*0000000\n"));
    child.end(patience);
    ChildProcess other(shell("pwd"));
    EXPECT_EQ(heard(other.socket()), "/\n");
    other.end(patience);
}

TEST_F(ChildProcesses, ReportNothingIfTheKernelReapedThem) {
    const auto before = signal(SIGCHLD, SIG_IGN);
    ProcessEnd end;
    {
        ChildProcess child(shell("exit 7"));
        end = child.end(patience);
    }
    signal(SIGCHLD, before);
    EXPECT_FALSE(end.exit_code);
    EXPECT_FALSE(end.signal);
    EXPECT_FALSE(end.was_killed);
    EXPECT_FALSE(end.lingers);
}

TEST_F(ChildProcesses, LingeringChildIsReapedLater) {
    ChildProcess child(shell("echo $$; exec sleep 10000"));
    const pid_t held = std::stoi(heard(child.socket(), true));
    std::optional<test::Holder> holder(held);
    const bool holds = holder->holds();
    const ProcessEnd end = child.end(milliseconds(0));
    holder.reset();
    if (!holds) GTEST_SKIP() << "processes cannot be traced here";
    EXPECT_TRUE(end.was_killed);
    EXPECT_TRUE(end.lingers);
    EXPECT_FALSE(end.signal);
    siginfo_t info{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(held), &info, WEXITED | WNOWAIT), 0)
        << "the process must still exist";
    ChildProcess(shell("exit 0")).end(patience);
    EXPECT_EQ(waitpid(held, nullptr, WNOHANG), -1);
}

}  // namespace gridstride::child_process_test
