import { scryptSync } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";

import { integerOption, paint, UsageError, defineCommand, valueOption } from "@envs/cli/kit";

import { noteWaiting } from "./note-waiting.ts";
import { queueArgument, queueReference } from "./queue-reference.ts";

export const command = defineCommand({
  meta: {
    name: "queue serve",
    description:
      "Serve the queue to workers over HTTP. Their hosts need a token, and never see the database. /metrics has metrics for Prometheus, with a token too",
  },
  args: {
    queue: queueArgument,
    tokens: valueOption(
      "File with the hosts and their tokens' hashes, by envs queue token (default tokens.txt)",
      "file",
    ),
    port: valueOption("Port to listen on (default 8470; 0 for any)", "number", "p"),
    host: valueOption("Address to listen on (default 127.0.0.1: this machine only)"),
    "tls-cert": valueOption(
      "Certificate in PEM, to serve HTTPS (default: HTTP, behind a proxy)",
      "file",
    ),
    "tls-key": valueOption("Key of the certificate in PEM", "file"),
    "max-body": valueOption("Maximum size of the rows of one group (default 64)", "MiB"),
  },
  async run({ args }): Promise<number> {
    const reference = queueReference(args.queue);
    const [{ openQueue }, { leaseServer }, { queueMetrics }, { tokenFile }] = await Promise.all([
      import("../open-queue.ts"),
      import("../http/lease-server.ts"),
      import("../metrics/queue-metrics.ts"),
      import("../http/tokens.ts"),
    ]);
    const hostOf = await tokenFile(args.tokens ?? "tokens.txt");
    const tls = await readTls(args["tls-cert"], args["tls-key"]);
    await using queue = await openQueue(
      reference,
      noteWaiting((text) => void process.stderr.write(`${text}\n`)),
    );
    const app = leaseServer({
      queue,
      hostOf,
      tls,
      secret: secretOf(reference),
      bodyLimit: (integerOption("max-body", args["max-body"]) ?? 64) * 2 ** 20,
      metrics: () => queueMetrics(queue),
    });
    await app.listen({
      port: integerOption("port", args.port, 0) ?? 8470,
      host: args.host ?? "127.0.0.1",
    });
    const { address, port, family } = app.server.address() as AddressInfo;
    const own = family === "IPv6" ? `[${address}]` : address;
    // Replaces the wildcard address, to which clients cannot connect.
    const name = ["0.0.0.0", "[::]"].includes(own) ? hostname() : own;
    const url = `${tls === undefined ? "http" : "https"}://${name}:${port}`;
    process.stdout.write(
      `${paint("bold", "queue")} at ${url}\n${paint("dim", `ENVS_QUEUE_TOKEN=… envs queue worker --queue ${url}`)}\n`,
    );
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    await app.close();
    return 0;
  },
});

async function readTls(cert: string | undefined, key: string | undefined) {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new UsageError("--tls-cert and --tls-key belong together. Pass both, or neither.");
  const [certText, keyText] = await Promise.all([readFile(cert, "utf8"), readFile(key, "utf8")]);
  return { cert: certText, key: keyText };
}

/**
 * The secret that signs leases, derived from the password in the URL if it has one, which hosts do not know. So leases survive a
 * restart of this server, and several servers share them. The derivation is slow, so that hosts cannot guess the password from
 * signatures.
 */
function secretOf(reference: string): string | undefined {
  const url = URL.canParse(reference) ? new URL(reference) : undefined;
  const password = url?.password || process.env["PGPASSWORD"] || undefined;
  if (password === undefined) return undefined;
  const cost = { N: 2 ** 16, maxmem: 128 * 2 ** 20 };
  return scryptSync(password, "envs leases", 32, cost).toString("hex");
}
