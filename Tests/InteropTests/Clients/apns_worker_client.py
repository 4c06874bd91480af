"""apns-worker: command 2, a reader thread that reports errors and goes back to what followed the bad notification.

It numbers notifications by itself, from 0. The last one of the job is a bad one, whose report shows that everything before
it has been judged.
"""

import logging

import job

task = job.load()
job.provide_wrap_socket(verify_against=task["ca"])

# Made for servers of 2015: another TLS version, address and authority.
import ssl  # noqa: E402
if not hasattr(ssl, "PROTOCOL_TLSv1"):
    ssl.PROTOCOL_TLSv1 = None
from apns_worker import ApnsManager, Message  # noqa: E402
from apns_worker.backend import threaded  # noqa: E402

threaded.ReadThread._address = lambda self, environment: (task["host"], task["port"])
threaded.Connection.ca_certs = lambda self: task["ca"]

logging.basicConfig(level=logging.WARNING)
errors = job.Collection()
manager = ApnsManager(task["key"], task["certificate"], message_grace=60, error_handler=errors.add)
messages = {}
for item in task["notifications"]:
    message = Message([item["token"]], {"aps": {"alert": item["text"]}}, priority=item.get("priority"))
    messages[id(message)] = item["identifier"]
    manager.send_message(message)


def failed():
    return [{"identifier": messages[id(error.message)], "status": error.status} for error in errors.items()]


last = task["notifications"][-1]["identifier"]
job.wait_until(lambda: any(item["identifier"] == last for item in failed()), "the last error")
job.finish({"failed": failed()})
