"""Has a real Prometheus scrape a run, and asks its query interface what it has seen.

The job: {"prometheus": path, "command": […], "folder": path, "queries": {name: query}, "ranges": {name: query}}. The command is a run that
serves its state on the port PORT and goes on serving its result; the queries are asked once Prometheus has scraped that result.
"""

import json
import re
import socket
import subprocess
import threading
import time
import urllib.parse
import urllib.request

import job

CONFIGURATION = """
global: {{scrape_interval: 250ms, scrape_timeout: 250ms}}
scrape_configs:
  - job_name: pushbench
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


class Lines:
    """What a process says on standard error, read as it comes."""

    def __init__(self, process):
        self.all = []
        self._thread = threading.Thread(target=self._read, args=(process,), daemon=True)
        self._thread.start()

    def _read(self, process):
        for line in process.stderr:
            self.all.append(line.decode("utf-8", "replace"))

    def find(self, pattern):
        for line in list(self.all):
            if match := re.search(pattern, line):
                return match[1]
        return None


def ask(base, path, **parameters):
    with urllib.request.urlopen(f"{base}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=10) as answer:
        return json.load(answer)["data"]


def instant(base, query):
    return [
        {"labels": {k: v for k, v in each["metric"].items() if k not in ("instance", "job")}, "value": each["value"][1]}
        for each in ask(base, "query", query=query)["result"]
    ]


def ready(base):
    try:
        urllib.request.urlopen(f"{base}/-/ready", timeout=2).close()
        return True
    except OSError:
        return False


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_prometheus(task, port):
    file = f"{task['folder']}/prometheus.yml"
    with open(file, "w", encoding="utf-8") as configuration:
        configuration.write(CONFIGURATION.format(port=port))
    return subprocess.Popen(
        [
            task["prometheus"],
            f"--config.file={file}",
            f"--storage.tsdb.path={task['folder']}/data",
            "--web.listen-address=127.0.0.1:0",
        ],
        cwd=task["folder"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )


def main(task):
    # Prometheus is there first, since a run does not wait for it.
    port = free_port()
    server = start_prometheus(task, port)
    run = None
    try:
        says = Lines(server)
        pattern = r"Listening on.*address=(127\.0\.0\.1:\d+)"
        job.wait_until(lambda: says.find(pattern) or server.poll() is not None, "Prometheus")
        if server.poll() is not None:
            raise SystemExit("Prometheus ended: " + "".join(says.all[-5:]))
        base = f"http://{says.find(pattern)}"
        job.wait_until(lambda: ready(base), "Prometheus to be ready")
        # It takes five seconds before it looks for the first time.
        tried = lambda: any(each["health"] != "unknown" for each in ask(base, "targets")["activeTargets"])
        job.wait_until(tried, "the first scrape, of a run that is not there yet")
        begin = time.time()
        command = [word.replace("PORT", str(port)) for word in task["command"]]
        run = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        run_says = Lines(run)
        passed = 'pushbench_verdict{pushbench_verdict!="running"} == 1'
        job.wait_until(lambda: instant(base, passed) or run.poll() is not None, "the result to be scraped")
        health = ask(base, "targets")["activeTargets"]
        values = {name: instant(base, query) for name, query in task["queries"].items()}
        ranges = {
            name: [
                float(value)
                for each in ask(base, "query_range", query=query, start=begin, end=time.time(), step=0.2)["result"]
                for _, value in each["values"]
            ]
            for name, query in task["ranges"].items()
        }
        metadata = ask(base, "targets/metadata", limit=200)
        run.send_signal(2)
        return {
            "health": [[each["health"], each["lastError"]] for each in health],
            "values": values,
            "ranges": ranges,
            "types": {each["metric"]: each["type"] for each in metadata},
            "status": run.wait(timeout=20),
            "said": "".join(run_says.all),
        }
    finally:
        for process in (server, run):
            if process and process.poll() is None:
                process.kill()


job.finish(main(job.load()))
