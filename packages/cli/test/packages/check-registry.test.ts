import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

import { expect, onTestFinished, test } from "vitest";

import { checkRegistry } from "../../src/packages/check-registry.ts";

async function server(listener: RequestListener): Promise<string> {
  const listening = createServer(listener).listen(0, "127.0.0.1");
  await once(listening, "listening");
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  return `http://127.0.0.1:${(listening.address() as { readonly port: number }).port}`;
}

test("accepts a registry that answers, also if it requires a login", async () => {
  const registry = await server((_, response) => response.writeHead(401).end());
  await expect(checkRegistry(registry)).resolves.toBeUndefined();
});

test("rejects a registry that accepts connections but does not answer in time", async () => {
  const registry = await server(() => {});
  await expect(checkRegistry(registry, 50)).rejects.toThrow(
    `The registry ${registry} does not answer: The operation was aborted due to timeout. Nothing was installed.`,
  );
});

test("rejects a registry that refuses connections", async () => {
  await expect(checkRegistry("http://127.0.0.1:2")).rejects.toThrow("ECONNREFUSED");
});
