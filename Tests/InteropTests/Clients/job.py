"""What all drivers share: the job that a test hands in, the result that it gets back, and a bound on the time.

A job is a file of JSON, named on the command line:
    {"host": "127.0.0.1", "port": 2195, "ca": "ca.pem", "certificate": null, "key": null,
     "notifications": [{"identifier": 1, "token": "00…", "text": "…"}, …]}
The result is one line of JSON on standard output.
"""

import json
import os
import ssl
import sys
import threading
import time

# A driver that hangs must not hold up the tests: it ends with a traceback on standard error.
TIME_LIMIT = 40.0


def load():
    with open(sys.argv[1], encoding="utf-8") as file:
        return json.load(file)


def finish(result):
    """Prints the result and ends at once, whatever threads the library has left running."""
    print(json.dumps(result), flush=True)
    os._exit(0)


def wait_until(condition, what):
    end = time.monotonic() + TIME_LIMIT
    while not condition():
        if time.monotonic() > end:
            print(f"gave up waiting for {what}", file=sys.stderr, flush=True)
            os._exit(3)
        time.sleep(0.01)


def provide_wrap_socket(verify_against=None):
    """Gives the ssl module the function of old that these libraries call, which Python has no more since 3.12.

    With an authority, the server's certificate is checked against it; without, the function of old stays if there is one.
    """
    if verify_against is None and hasattr(ssl, "wrap_socket"):
        return

    def wrap_socket(sock, keyfile=None, certfile=None, do_handshake_on_connect=True, **_):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        if verify_against is None:
            context.verify_mode = ssl.CERT_NONE
        else:
            context.load_verify_locations(verify_against)
        if certfile:
            context.load_cert_chain(certfile, keyfile)
        return context.wrap_socket(sock, do_handshake_on_connect=do_handshake_on_connect)

    ssl.wrap_socket = wrap_socket


class Collection:
    """What a library reports, from whatever thread."""

    def __init__(self):
        self._lock = threading.Lock()
        self._items = []

    def add(self, item):
        with self._lock:
            self._items.append(item)

    def items(self):
        with self._lock:
            return list(self._items)
