"""aapns: the provider API with a certificate, on an h2 of years ago."""

import asyncio

from aapns.api import Server
from aapns.errors import ResponseError
from aapns.models import Alert, Notification

import job

task = job.load()


async def main():
    server = Server(
        client_cert_path=task["certificate"], host=task["host"], port=task["port"], ca_file=task["ca"], pool_size=1
    )
    client = await server.create_client()

    async def send(item):
        try:
            notification = Notification(alert=Alert(body=item["text"]))
            identifier = await client.send_notification(
                item["token"], notification, apns_id=item["id"], topic=task["topic"]
            )
            return {"id": identifier, "status": 200, "reason": None, "timestamp": None}
        except ResponseError as error:
            # It tells the reason and the identifier, and neither status nor timestamp.
            return {"id": error.apns_id, "status": None, "reason": error.codename, "timestamp": None}

    results = await asyncio.gather(*(send(item) for item in task["notifications"]))
    await client.close()
    return results


job.finish({"answers": asyncio.run(asyncio.wait_for(main(), job.TIME_LIMIT))})
