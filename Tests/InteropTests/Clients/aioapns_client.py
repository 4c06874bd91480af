"""aioapns: the provider API with a signing key or with a certificate, on one connection."""

import asyncio
import ssl

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol

import job

task = job.load()
# It sends this name as `host`, and has no setting for either.
APNsProductionClientProtocol.APNS_SERVER = task["host"]
APNsProductionClientProtocol.APNS_PORT = task["port"]


async def main():
    context = ssl.create_default_context(cafile=task["ca"])
    common = {"topic": task["topic"], "max_connections": 1, "ssl_context": context}
    if task["certificate"]:
        client = APNs(client_cert=task["certificate"], **common)
    else:
        with open(task["signingKey"], encoding="ascii") as file:
            client = APNs(key=file.read(), key_id=task["keyID"], team_id=task["teamID"], **common)

    async def send(item):
        message = {"aps": {"alert": item["text"]}}
        return await client.send_notification(
            NotificationRequest(item["token"], message, item["id"], priority=10, push_type=PushType.ALERT)
        )

    # All at once: the library opens streams as far as the server's limit lets it.
    results = await asyncio.gather(*(send(item) for item in task["notifications"]))
    return [
        {"id": result.notification_id, "status": int(result.status), "reason": result.description or None,
         "timestamp": result.timestamp}
        for result in results
    ]


job.finish({"answers": asyncio.run(asyncio.wait_for(main(), job.TIME_LIMIT))})
