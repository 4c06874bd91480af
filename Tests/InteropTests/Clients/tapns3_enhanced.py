"""tapns3 with error responses: command 1, or frames of command 2 behind a first notification of command 1.

The last notification of the job is a bad one, whose report shows that everything before it has been judged.
"""

import logging

import job

task = job.load()
job.provide_wrap_socket()
from apns import APNs, Frame, Payload  # noqa: E402 -- it needs the function above

logging.basicConfig(level=logging.WARNING)
failures = job.Collection()
gateway = APNs(cert_file=task["certificate"], key_file=task["key"], enhanced=True).gateway_server
gateway.server, gateway.port = task["host"], task["port"]
gateway.register_response_listener(failures.add)

notifications = task["notifications"]
framed_count = task.get("perFrame", 0)
# The thread that reads responses starts with the first single notification.
singles = notifications if framed_count == 0 else notifications[:1]
for item in singles:
    gateway.send_notification(item["token"], Payload(alert=item["text"]), identifier=item["identifier"], expiry=0)
rest = notifications[len(singles):]
while rest:
    frame = Frame()
    for item in rest[:framed_count]:
        frame.add_item(item["token"], Payload(alert=item["text"]), item["identifier"], 0, 10)
    gateway.send_notification_multiple(frame)
    rest = rest[framed_count:]

last = notifications[-1]["identifier"]
job.wait_until(lambda: any(item["identifier"] == last for item in failures.items()), "the last error response")
job.finish({"failed": failures.items()})
