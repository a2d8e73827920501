import type { FastifyInstance, FastifyServerOptions } from "fastify";

import type { Settings } from "../config/settings.ts";

/** Anything that opens a door and may stand in an address: tokens, one-time links, what a command line polls with. */
const secrets =
  /envh_[0-9A-Za-z]+|(?<=(?:token|done|invite|poll)\/)[^/?#]+|(?<=[?&](?:token|secret|code)=)[^&#]+/gi;

/** A path as it may stand in a log. */
export function redactUrl(url: string): string {
  return url.replaceAll(secrets, "[redacted]");
}

/** Logs as lines of JSON, without headers: none of them is worth what `authorization` risks. */
export function logger({ HUB_LOG }: Settings): NonNullable<FastifyServerOptions["logger"]> {
  if (HUB_LOG === "silent") return false;
  return {
    level: HUB_LOG,
    // Standard output is for whoever started the hub.
    stream: process.stderr,
  };
}

/** One line for each answer: who asked what, and what came of it. */
export function logAnswers(app: FastifyInstance): void {
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
