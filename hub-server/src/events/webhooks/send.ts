import { createHmac } from "node:crypto";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";

import { privateAddressError, isPrivateAddress, publicLookup } from "./public-address.ts";

const timeoutMilliseconds = 10_000;
/** The response body is ignored; a longer one ends the connection. */
const maxResponseBytes = 2 ** 16;
const lookup = publicLookup();

export interface Message {
  readonly url: string;
  readonly secret: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether to send to private addresses. */
  readonly allowsPrivateAddresses: boolean;
  /** Unix time in seconds, signed with the body to prevent replay attacks. */
  readonly timestamp: number;
}

/** Signs a body: HMAC-SHA256 of `<timestamp>.<body>`, in hex. */
export function signature(secret: string, timestamp: number, body: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
}

/**
 * Sends one message and resolves to the HTTP status after the response or 10 s. Rejects without a response. Does not follow
 * redirects.
 */
export function send({
  url,
  secret,
  body,
  headers,
  allowsPrivateAddresses,
  timestamp,
}: Message): Promise<number> {
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (!allowsPrivateAddresses && isIP(host) !== 0 && isPrivateAddress(host))
    return Promise.reject(privateAddressError(host));
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
      ...(allowsPrivateAddresses ? {} : { lookup }),
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const { statusCode = 0 } = response;
      const end = (): void => resolve(statusCode);
      // The status is known, so later errors do not matter.
      sent.off("error", reject).on("error", end);
      response.on("error", end).on("close", end);
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes > maxResponseBytes) sent.destroy();
      });
    });
    sent.end(body);
  });
}
