"""aioapns: the HTTP/2 provider API over h2 and asyncio, with a key or a certificate, all notifications at once."""

import asyncio
import ssl
import uuid

import job

task = job.load()

from aioapns import APNs, NotificationRequest, PushType  # noqa: E402
from aioapns.connection import APNsProductionClientProtocol  # noqa: E402

APNsProductionClientProtocol.APNS_SERVER = "localhost"
APNsProductionClientProtocol.APNS_PORT = task["port"]


async def ignore(request, result):
    """Failures are reported at the end, and not on standard error."""


async def main():
    context = ssl.create_default_context(cafile=task["ca"])
    options = {"topic": task["topic"], "ssl_context": context, "max_connections": 2, "err_func": ignore}
    if task["certificate"]:
        client = APNs(client_cert=task["certificate"], **options)
    else:
        with open(task["key"], encoding="utf-8") as file:
            client = APNs(key=file.read(), key_id=task["keyID"], team_id=task["teamID"], **options)
    requests = [
        NotificationRequest(
            device_token=item["token"],
            message={"aps": {"alert": item["text"]}},
            notification_id=str(uuid.UUID(int=item["identifier"] + (4 << 76) + (8 << 60))),
            push_type=PushType.ALERT,
        )
        for item in task["notifications"]
    ]
    results = await asyncio.gather(*(client.send_notification(request) for request in requests))
    failed = [
        {"identifier": item["identifier"], "status": int(result.status), "reason": result.description}
        for item, result in zip(task["notifications"], results)
        if not result.is_successful
    ]
    echoed = all(result.notification_id == request.notification_id for request, result in zip(requests, results))
    job.finish({"failed": failed, "echoed": echoed})


asyncio.run(main())
