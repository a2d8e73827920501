import type { FastifyInstance, FastifyServerOptions } from "fastify";

import type { Settings } from "../config/settings.ts";

/** Secrets that can appear in a URL: tokens, one-time links, polling secrets. */
const secrets =
  /envh_[0-9A-Za-z]+|(?<=(?:token|done|invite|poll|reset|verify)\/)[^/?#]+|(?<=[?&](?:token|secret|code)=)[^&#]+/gi;

/** Replaces secrets in a URL by `[redacted]`. */
export function redactUrl(url: string): string {
  return url.replaceAll(secrets, "[redacted]");
}

/** Logs JSON lines without request headers, which contain credentials. */
export function logger({ HUB_LOG }: Settings): NonNullable<FastifyServerOptions["logger"]> {
  if (HUB_LOG === "silent") return false;
  return {
    level: HUB_LOG,
    // Standard output is for the messages of `envs-hub`.
    stream: process.stderr,
  };
}

/** Logs a line for each response. */
export function logResponses(app: FastifyInstance): void {
  app.addHook("onResponse", (request, reply, done) => {
    const { method, url, ip, headers, log } = request;
    log.info(
      {
        method,
        url: redactUrl(url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ip,
        client: headers["user-agent"],
      },
      "answered",
    );
    done();
  });
}
