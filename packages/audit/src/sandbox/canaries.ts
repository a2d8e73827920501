import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { contentHash } from "@envs/core/engine";

/** The variable of this process that sandboxed code must not read. */
export const variable = "ENVS_AUDIT_CANARY";

/** Things outside of a sandbox that code in it must not reach. */
export interface Canaries extends AsyncDisposable {
  /** A file of this machine that contains the secret. */
  readonly file: string;
  /** A server of this machine that counts connections. */
  readonly url: string;
  readonly port: number;
  /** The text in the file and in the environment variable of this process. */
  readonly secret: string;
  readonly connections: () => number;
}

/** Places a file, a variable and a server. */
export async function placeCanaries(): Promise<Canaries> {
  const folder = await mkdtemp(join(tmpdir(), "envs-audit-"));
  const secret = `canary-${contentHash(folder)}`;
  const file = join(folder, "secret.txt");
  await writeFile(file, secret);
  process.env[variable] = secret;
  let count = 0;
  const server = createServer((_request, response) => void response.end(secret));
  server.on("connection", () => (count += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    file,
    url: `http://127.0.0.1:${port}/`,
    port,
    secret,
    connections: () => count,
    async [Symbol.asyncDispose]() {
      delete process.env[variable];
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
