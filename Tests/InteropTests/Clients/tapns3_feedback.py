"""tapns3's reader of the feedback service: everything that it yields until the service closes."""

from calendar import timegm

import job

task = job.load()
job.provide_wrap_socket()
from apns import APNs  # noqa: E402 -- it needs the function above

feedback = APNs(cert_file=task["certificate"], key_file=task["key"]).feedback_server
feedback.server, feedback.port = task["host"], task["port"]
tuples = [
    {"token": token.decode("ascii"), "time": timegm(when.utctimetuple())} for token, when in feedback.items()
]
job.finish({"tuples": tuples})
