import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { TestProject } from "vitest/node";

import { startPostgres } from "./postgres-server.ts";
import { startS3 } from "./s3-server.ts";
import type { Service } from "./server-process.ts";
import { buildSite } from "./site.ts";

declare module "vitest" {
  interface ProvidedContext {
    /**
     * `GET <services>/postgres` returns the URL of PostgreSQL, and `/s3` that of the object store. `/site` answers once the site of
     * the documents is built.
     */
    services: string;
  }
}

const starts: Readonly<Record<string, () => Promise<Service>>> = {
  "/postgres": startPostgres,
  "/s3": startS3,
  "/site": buildSite,
};

/** Vitest's global setup: starts each service at its first request, so that runs without such tests start neither. */
export async function setup({ name, provide }: TestProject): Promise<() => Promise<void>> {
  const services = new Map<string, Promise<Service>>();
  // Each project calls this function. The tests of this one need the site, and the first of them need a core less.
  if (name === "slow-shared") {
    const site = buildSite();
    // Tests that need the site report that it was not built.
    site.catch(() => {});
    services.set("/site", site);
  }
  const server = createServer(async ({ url = "" }, response) => {
    const start = starts[url];
    if (start === undefined) return response.writeHead(404).end(`Unknown service ${url}.`);
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
