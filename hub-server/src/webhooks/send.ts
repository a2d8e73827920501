import { createHmac } from "node:crypto";
import { lookup } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";

const timeoutMilliseconds = 10_000;
/** Nobody reads what a receiver says; who says more than this is cut off. */
const mostBytes = 2 ** 16;

/** Addresses that only machines near the hub can reach: nobody may have the hub knock there for them. */
const inside = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  inside.addSubnet(network, prefix);
for (const [network, prefix] of [
  ["::", 96],
  // Gateways that lead to an address of IPv4, which may be inside.
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  inside.addSubnet(network, prefix, "ipv6");

/** Whether an address belongs to a machine or network near the hub. */
export function isInside(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return inside.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
}

export interface Message {
  readonly url: string;
  readonly secret: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether addresses near the hub may be told as well. */
  readonly allowsInside: boolean;
  /** Seconds since 1970, signed with the body so that an old message cannot be sent again. */
  readonly timestamp: number;
}

/** The signature of a body: HMAC-SHA256, in hex, of `<timestamp>.<body>`. */
export function signature(secret: string, timestamp: number, body: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
}

/**
 * Sends one message and resolves to the status when the answer has ended, or its time is over; rejects when nobody
 * answers. Redirects are answers, not followed.
 */
export function send({
  url,
  secret,
  body,
  headers,
  allowsInside,
  timestamp,
}: Message): Promise<number> {
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (!allowsInside && isIP(host) !== 0 && isInside(host)) return Promise.reject(insideError(host));
  const request = protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "x-envs-signature": `t=${timestamp},v1=${signature(secret, timestamp, body)}`,
      },
      signal: AbortSignal.timeout(timeoutMilliseconds),
      ...(allowsInside ? {} : { lookup: lookupOutside }),
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const { statusCode = 0 } = response;
      const end = (): void => resolve(statusCode);
      // It has answered, whatever becomes of the rest.
      sent.off("error", reject).on("error", end);
      response.on("error", end).on("close", end);
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes > mostBytes) sent.destroy();
      });
    });
    sent.end(body);
  });
}

/** A name is judged by what it resolves to at the moment of connecting, so that it cannot change in between. */
const lookupOutside: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, "", 0);
    const [first] = addresses;
    const near = addresses.find(({ address }) => isInside(address));
    if (near !== undefined || first === undefined) return callback(insideError(hostname), "", 0);
    if (options.all === true) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};

function insideError(host: string): Error {
  return new Error(
    `${host} is an address near the hub. Its operator allows those with HUB_WEBHOOKS=any.`,
  );
}
