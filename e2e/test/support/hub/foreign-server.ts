import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { packageJson, tarball } from "@envs/hub-server/testing/archive";

/** A server of an attacker. It responds to every request with a package that runs a script during installation. */
export interface ForeignServer extends AsyncDisposable {
  /** The URL of its tarball. */
  readonly url: string;
  /** The paths of all requests. */
  readonly requests: readonly string[];
}

/** Starts a server whose package runs `script` during installation. */
export async function foreignServer(name: string, script: string): Promise<ForeignServer> {
  const bytes = tarball([
    packageJson({ name, version: "9.9.9", scripts: { preinstall: script, postinstall: script } }),
    { path: "package/index.js", content: 'module.exports = "foreign";\n' },
  ]);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    response.setHeader("content-type", "application/octet-stream").end(bytes);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/foreign-9.9.9.tgz`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
