"""A page in a headless browser: what it wrote to the console, and whether anything was asked for over the network.

The browser's only way out is a proxy on a port of ours that takes connections, notes them down and answers none.
"""

import shutil
import socket
import subprocess
import tempfile
import threading

import job


def watch(listener, requests):
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(2)
            try:
                requests.add(connection.recv(4096).decode("latin-1").split("\r\n")[0])
            except OSError:
                requests.add("a connection without a request")


task = job.load()
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
requests = job.Collection()
threading.Thread(target=watch, args=(listener, requests), daemon=True).start()
profile = tempfile.mkdtemp()
try:
    done = subprocess.run(
        [
            task["browser"],
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={profile}",
            f"--proxy-server=http://127.0.0.1:{port}",
            "--proxy-bypass-list=<-loopback>",
            "--enable-logging=stderr",
            "--v=0",
            "--dump-dom",
            "file://" + task["page"],
        ],
        capture_output=True,
        timeout=50,
        check=False,
    )
finally:
    shutil.rmtree(profile, ignore_errors=True)
lines = done.stderr.decode("utf-8", "replace").splitlines()
job.finish(
    {
        "status": done.returncode,
        "dom": done.stdout.decode("utf-8", "replace"),
        "console": [line for line in lines if "CONSOLE" in line],
        "requests": requests.items(),
    }
)
