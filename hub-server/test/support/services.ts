import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { TestProject } from "vitest/node";

import { startPostgres } from "./postgres-server.ts";
import { startS3 } from "./s3-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where a test asks for a service: `GET <services>/postgres` answers with its URL. */
    services: string;
  }
}

type Service = Awaited<ReturnType<typeof startPostgres>>;

const starts: Readonly<Record<string, () => Promise<Service>>> = {
  "/postgres": startPostgres,
  "/s3": startS3,
};

/** Starts a service for all test files of a run when the first asks for it, so that tests that ask for none pay nothing. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const services = new Map<string, Promise<Service>>();
  const server = createServer(async ({ url = "" }, response) => {
    const start = starts[url];
    if (start === undefined) return response.writeHead(404).end(`There is no service ${url}.`);
    const service = services.get(url) ?? start();
    services.set(url, service);
    try {
      response.end((await service).url);
    } catch (error) {
      response.writeHead(503).end(error instanceof Error ? error.message : String(error));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  provide("services", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    for (const service of await Promise.allSettled(services.values()))
      if (service.status === "fulfilled") await service.value.close();
  };
}
