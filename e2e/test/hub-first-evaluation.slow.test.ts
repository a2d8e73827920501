import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { clients } from "./support/clients.ts";
import { startClient } from "./support/clients/client.ts";
import { temporaryFolder } from "./support/command-line.ts";
import { type HubProcess, startHub } from "./support/hub/process.ts";
import { type RecordingProxy, recordingProxy } from "./support/hub/recording-proxy.ts";

const root = join(import.meta.dirname, "../..");
const evaluation = "envs eval tictactoe -m policy:optimal -n 20 -r 1 --json".split(" ");
const stack = new AsyncDisposableStack();
let hub: HubProcess;
let proxy: RecordingProxy;

beforeAll(async () => {
  const { path } = stack.use(await temporaryFolder());
  hub = stack.use(await startHub({ data: join(path, "data"), args: ["--seed", root] }));
  proxy = stack.use(await recordingProxy(hub.url));
}, 240_000);

afterAll(() => stack.disposeAsync());

// `pnpm release:rehearse` does this with npm, pnpm and bun.
test.each(["Yarn 1", "Yarn 4"] as const)(
  "installs an environment from the hub with %s in an empty folder and evaluates it",
  { timeout: 240_000 },
  async (name) => {
    await using client = await startClient(clients[name], { url: proxy.url, scope: "envs" });
    proxy.takeExchanges();
    // Yarn does not install peer dependencies.
    await client.run("install", "@envs/tictactoe", "@envs/core", "@envs/cli", "zod");
    const { stdout } = await client.run("run", ...evaluation);
    expect(JSON.parse(stdout)).toMatchObject({
      is_complete: true,
      counts: { scored: 20 },
      scores: { loss: { mean: 0 } },
    });
    const tarballs = proxy.takeExchanges().filter(({ path }) => path.endsWith(".tgz"));
    for (const packageName of ["tictactoe", "core", "cli"])
      expect(tarballs.map(({ path }) => decodeURIComponent(path))).toContainEqual(
        expect.stringMatching(new RegExp(`^/@envs/${packageName}/-/${packageName}-[\\d.]+\\.tgz$`)),
      );
  },
);

test(
  "evaluates a version that the command installs from the hub",
  { timeout: 240_000 },
  async () => {
    await using client = await startClient(clients["npm 11"], { url: proxy.url, scope: "envs" });
    await client.run("install", "@envs/cli", "@envs/hub-cli");
    const [, , , ...options] = evaluation;
    const { stdout } = await client.run("run", "envs", "eval", "@envs/tictactoe@0.0.0", ...options);
    expect(JSON.parse(stdout)).toMatchObject({ is_complete: true, counts: { scored: 20 } });
  },
);
