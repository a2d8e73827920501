import { createServer } from "node:net";

import { hubClient } from "@envs/hub-client";
import { expect, onTestFinished, test, vi } from "vitest";

import { hubFetch } from "../src/connection/hub-fetch.ts";
import type { Prompter } from "../src/connection/prompter.ts";

/** Starts a server that accepts connections and never answers. */
async function silentServer(): Promise<{
  readonly url: string;
  readonly connected: Promise<void>;
}> {
  const { promise: connected, resolve } = Promise.withResolvers<void>();
  const server = createServer(() => resolve()).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { readonly port: number };
  return { url: `http://127.0.0.1:${port}`, connected };
}

test("reports a hub that accepts connections but does not answer within 12 seconds", async () => {
  const { url, connected } = await silentServer();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const prompter: Prompter = {
    canApprove: false,
    notify: () => {},
    choice: async () => undefined,
    oneTimePassword: async () => undefined,
    username: async () => undefined,
    password: async () => "",
  };
  const hub = hubClient({ url, fetch: hubFetch({ command: "envs install", prompter }) });
  await Promise.all([
    expect(hub.listOrganisations()).rejects.toThrow(
      `${url} does not respond. Check the address, and that the hub is running.`,
    ),
    connected.then(() => vi.advanceTimersByTime(12_000)),
  ]);
});
