"""Runs a command on a pseudo-terminal of an emulator that others wrote, and tells what a user would have seen.

The job: {"command": […], "environment": {…}, "columns": 80, "rows": 24, "output": "file for standard output",
          "signals": [[seconds, number], …], "reads": true}. Where it does not read, the terminal stands still until the command has ended.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte

import job


def start(task):
    process, terminal = pty.fork()
    if process == 0:
        # The program is the terminal's own job, with the signals that a shell leaves it.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", task["rows"], task["columns"], 0, 0))
        output = os.open(task["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(output, 1)
        kept = {key: value for key, value in os.environ.items() if key not in ("CI", "NO_COLOR", "TERM", "COLUMNS")}
        os.execve(task["command"][0], task["command"], {**kept, **task["environment"]})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", task["rows"], task["columns"], 0, 0))
    return process, terminal


def run(task):
    screen = pyte.Screen(task["columns"], task["rows"])
    stream = pyte.Stream(screen)
    process, terminal = start(task)
    begin = time.monotonic()
    signals = [tuple(each) for each in task["signals"]]
    raw, screens, status, hidden = b"", [], None, False
    while True:
        if status is None:
            ended, code = os.waitpid(process, os.WNOHANG)
            if ended:
                status = os.waitstatus_to_exitcode(code)
        now = time.monotonic() - begin
        if now > job.TIME_LIMIT:
            os.kill(process, signal.SIGKILL)
            raise SystemExit("the command did not end")
        while signals and signals[0][0] <= now:
            os.kill(process, signals.pop(0)[1])
        if not task["reads"] and status is None:
            time.sleep(0.02)
            continue
        if select.select([terminal], [], [], 0.02)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                data = b""
            if data:
                raw += data
                stream.feed(data.decode("utf-8", "replace"))
                hidden = hidden or screen.cursor.hidden
                lines = [line.rstrip() for line in screen.display]
                if any(lines) and (not screens or screens[-1]["lines"] != lines):
                    screens.append({"at": now, "lines": lines})
                continue
        if status is not None:
            break
    return {
        "status": status,
        "seconds": time.monotonic() - begin,
        "screens": screens[-200:],
        "drawn": raw.count(b"\x1b[J"),
        "last": [line.rstrip() for line in screen.display],
        "cursorHidden": screen.cursor.hidden or hidden,
        "cursorColumn": screen.cursor.x,
        "escapes": raw.count(b"\x1b"),
        "colors": raw.count(b"\x1b[31m") + raw.count(b"\x1b[1m"),
        "text": raw.decode("utf-8", "replace")[-20000:],
    }


job.finish(run(job.load()))
