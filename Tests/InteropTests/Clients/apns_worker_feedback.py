"""apns-worker's reader of the feedback service: a thread that calls back until the service closes."""

import threading
from calendar import timegm

import job

task = job.load()
job.provide_wrap_socket(verify_against=task["ca"])

import ssl  # noqa: E402
if not hasattr(ssl, "PROTOCOL_TLSv1"):
    ssl.PROTOCOL_TLSv1 = None
from apns_worker import ApnsManager  # noqa: E402
from apns_worker.backend import threaded  # noqa: E402

threaded.FeedbackThread._address = lambda self, environment: (task["host"], task["port"])
threaded.Connection.ca_certs = lambda self: task["ca"]

tuples = job.Collection()
manager = ApnsManager(task["key"], task["certificate"])
manager.get_feedback(tuples.add)
readers = [thread for thread in threading.enumerate() if isinstance(thread, threaded.FeedbackThread)]
job.wait_until(lambda: not any(thread.is_alive() for thread in readers), "the end of the list")
job.finish({"tuples": [{"token": item.token, "time": timegm(item.when.utctimetuple())} for item in tuples.items()]})
