"""Peers as processes: a Python worker that keeps running, and a compiled program that starts for each measurement."""

import json
import pathlib
import select
import shutil
import subprocess
import sys
import sysconfig
import time

FOLDER = pathlib.Path(__file__).resolve().parent


class PeerError(Exception):
    pass


class PythonPeer:
    """worker.py with one library. It takes seconds to start, so it starts early and wait_until_ready() waits for it."""

    def __init__(self, name, python=sys.executable):
        self.name, self.process, self.failure, self.description = name, None, None, None
        self.command = [python, str(FOLDER / "worker.py"), name]
        self.start()

    def start(self):
        # Ctrl-C must end only peers.py, which then ends the worker, so the worker has a separate session.
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)

    def read_line(self, timeout):
        if not select.select([self.process.stdout], [], [], max(0, timeout))[0]:
            raise PeerError(f"{self.name} did not answer in {timeout:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            raise PeerError(f"{self.name} ended with {self.process.wait()}")
        answer = json.loads(line)
        if answer.get("error"):
            raise PeerError(answer["error"])
        return answer

    def wait_until_ready(self, timeout=90):
        if self.failure:
            raise PeerError(self.failure)
        if not self.description:
            try:
                self.description = self.read_line(timeout)["ready"]
            except PeerError as error:
                self.failure = str(error)
                self.close()
                raise
        return self.description

    def measure(self, request, timeout=60):
        """Returns the "ways" of worker.py's answer. After a timeout it restarts the process for the next request."""
        self.wait_until_ready()
        try:
            self.process.stdin.write((json.dumps(request) + "\n").encode())
            self.process.stdin.flush()
            return self.read_line(timeout)["ways"]
        except (PeerError, OSError, ValueError) as error:
            if self.process.poll() is not None or "did not answer" in str(error):
                self.close()
                self.description = None
                self.start()
            raise PeerError(str(error)) from None

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class CompiledPeer:
    """cub_peers.cu, cublas_peers.cu or plain_loops.cpp; the constructor starts the compiler."""

    def __init__(self, name, source, compilers, flags, folder):
        self.name, self.program, self.failure, self.build = name, folder / pathlib.Path(source).stem, None, None
        compiler = next((found for found in map(shutil.which, compilers) if found), None)
        if not compiler:
            self.failure = f"no {' and no '.join(compilers)} on this machine"
            return
        self.description = " ".join([pathlib.Path(compiler).name, *flags])
        self.build = subprocess.Popen([compiler, "-o", str(self.program), str(FOLDER / source), *flags],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def wait_until_ready(self, timeout=240):
        if self.failure:
            raise PeerError(self.failure)
        if self.build:
            try:
                output, _ = self.build.communicate(timeout=timeout)
                if self.build.returncode != 0:
                    self.failure = f"{self.description} failed: {output.strip()[-300:]}"
            except subprocess.TimeoutExpired:
                self.build.kill()
                self.failure = f"{self.description} took over {timeout} s"
            self.build = None
        if self.failure:
            raise PeerError(self.failure)
        return self.description

    def measure(self, request, timeout=60):
        """Like PythonPeer.measure(), but the input is the .raw file, or "-". Returns [] for an unknown task."""
        self.wait_until_ready()
        answer = f"{request['answer']}.raw" if request["answer"] else None
        arguments = [request["task"], "x".join(map(str, request["shape"]))]
        arguments += [request[key] for key in ("bins", "samples", "copies")]
        arguments.append(request["input"].removesuffix(".npy") + ".raw" if request["input"] else "-")
        try:
            completed = subprocess.run([str(self.program), *map(str, arguments), *([answer] if answer else [])],
                                  capture_output=True, text=True, timeout=max(1, timeout))
        except subprocess.TimeoutExpired:
            raise PeerError(f"{self.name} did not finish in {timeout:.0f} s") from None
        if "is no task of this program" in completed.stderr:
            return []
        if completed.returncode != 0:
            raise PeerError(f"{self.name} ended with {completed.returncode}: {completed.stderr.strip()[-300:]}")
        return [{**json.loads(completed.stdout), "answer": answer, "error": None}]

    def close(self):
        pass


def cublas_flags(compilers):
    """Returns nvcc's flags for the cuBLAS of the toolkit or, if there is none, that of PyTorch's Python packages."""
    compiler = next(filter(None, map(shutil.which, compilers)), "")
    toolkit = pathlib.Path(compiler).resolve().parents[1] if compiler else FOLDER
    if not any(any(toolkit.glob(where)) for where in ("include/cublas_v2.h", "targets/*/include/cublas_v2.h")):
        for header in pathlib.Path(sysconfig.get_paths()["purelib"]).glob("nvidia/*/include/cublas_v2.h"):
            folder = header.parents[1]
            for library in sorted(folder.glob("lib/libcublas.so*")):
                return [f"-I{header.parent}", f"-L{folder / 'lib'}", f"-l:{library.name}", "-Xlinker", f"-rpath,{folder / 'lib'}"]
    return ["-lcublas"]


def wait_for_all(peers, log):
    """Waits for all peers, so that nothing compiles or loads during a measurement."""
    for peer in peers:
        start = time.monotonic()
        try:
            log(f"{peer.name}: {peer.wait_until_ready()} ({time.monotonic() - start:.0f} s)")
        except PeerError as error:
            log(f"{peer.name}: cannot be measured: {error}")
