import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { inject } from "vitest";

/** Returns a service's URL. The first call starts the service; the site is built from the start of a run. */
export async function serviceUrl(name: "postgres" | "s3" | "site"): Promise<string> {
  // Unlike `fetch`, waits for as long as the site takes.
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${inject("services")}/${name}`, resolve).once("error", reject);
  });
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(body);
  return body;
}
