import { isIP } from "node:net";

import * as z from "zod";

import type { Settings } from "../../platform/config/settings.ts";
import { attempt, failure, type Finding, ok, warning } from "./finding.ts";

/** What the hub sees of a request: the response of `GET /-/connection`. */
export const connection = z.object({
  address: z.string(),
  /** The address of the socket, which is the proxy's if there is one. */
  peer: z.string(),
  protocol: z.string(),
  host: z.string(),
});

const timeoutMs = 10_000;

/** Requests the hub through its public URL, as a client does, and compares what it sees with the settings. */
export async function checkUrl({
  HUB_URL,
  HUB_HOST,
  HUB_PORT,
}: Settings): Promise<readonly Finding[]> {
  const host = HUB_HOST === "0.0.0.0" || HUB_HOST === "::" ? "localhost" : HUB_HOST;
  const url = HUB_URL ?? `http://${isIP(host) === 6 ? `[${host}]` : host}:${HUB_PORT}`;
  return await attempt(
    "url",
    `Start the hub, and check that ${url} leads to it: DNS, firewall, proxy and certificate (NODE_EXTRA_CA_CERTS for a private authority). Then run envs-hub doctor again.`,
    async () => {
      const response = await fetch(`${url}/-/connection`, {
        signal: AbortSignal.timeout(timeoutMs),
        redirect: "error",
      });
      if (!response.ok)
        return failure(
          "url",
          `${url} responds with ${response.status}.`,
          "Check that the proxy passes all paths to this version of the hub.",
        );
      const parsed = connection.safeParse(await response.json().catch(() => undefined));
      if (!parsed.success)
        return failure(
          "url",
          `Another program responds at ${url}.`,
          "Correct HUB_URL or the proxy.",
        );
      return [ok("url", `${url} reaches a hub`), ...proxy(url, parsed.data)];
    },
  );
}

function proxy(url: string, seen: z.output<typeof connection>): readonly Finding[] {
  const { protocol, host } = new URL(url);
  const findings: Finding[] = [];
  if (seen.protocol !== protocol.slice(0, -1))
    findings.push(
      warning(
        "proxy",
        `The hub takes the request for ${seen.protocol}, and its client's address for ${seen.address}.`,
        `Make the proxy send X-Forwarded-For and X-Forwarded-Proto, and trust it: HUB_TRUST_PROXY=${seen.peer}`,
      ),
    );
  if (seen.host !== host)
    findings.push(
      warning(
        "proxy",
        `The hub sees the host ${seen.host} instead of ${host}.`,
        "Make the proxy pass the Host header on.",
      ),
    );
  return findings.length > 0
    ? findings
    : [
        ok(
          "proxy",
          `the hub sees ${seen.protocol}, the host ${seen.host} and the address ${seen.address}`,
        ),
      ];
}
