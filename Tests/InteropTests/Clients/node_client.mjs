// node's own http2: the provider API with a signing key or with a certificate, all requests on one session.

import { createSign } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:http2";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const identity = job.certificate ? { cert: readFileSync(job.certificate), key: readFileSync(job.key) } : {};

function providerToken() {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: job.teamID, iat: Math.floor(Date.now() / 1000) };
  const text = `${part({ alg: "ES256", kid: job.keyID })}.${part(claims)}`;
  const key = { key: readFileSync(job.signingKey), dsaEncoding: "ieee-p1363" };
  return `${text}.${createSign("SHA256").update(text).sign(key, "base64url")}`;
}

const session = connect(`https://localhost:${job.port}`, { ca: readFileSync(job.ca), ...identity });
const authorization = job.certificate ? {} : { authorization: `bearer ${providerToken()}` };

function send(item) {
  return new Promise((resolve, reject) => {
    const request = session.request({
      ":method": "POST",
      ":path": `/3/device/${item.token}`,
      "apns-topic": job.topic,
      "apns-push-type": "alert",
      "apns-id": item.id,
      ...authorization,
    });
    let head = {};
    let body = "";
    request.setEncoding("utf8");
    request.on("response", (headers) => (head = headers));
    request.on("data", (text) => (body += text));
    request.on("error", reject);
    request.on("end", () => {
      const { reason = null, timestamp = null } = body ? JSON.parse(body) : {};
      resolve({ id: head["apns-id"], status: head[":status"], reason, timestamp });
    });
    request.end(JSON.stringify({ aps: { alert: item.text } }));
  });
}

// The limit is known with the first SETTINGS; node itself keeps to it from then on.
await new Promise((resolve) => session.once("remoteSettings", resolve));
const answers = await Promise.all(job.notifications.map(send));
process.stdout.write(`${JSON.stringify({ answers })}\n`);
session.close();
