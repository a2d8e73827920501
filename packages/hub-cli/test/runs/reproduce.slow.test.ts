import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { hubClient } from "@envs/hub-client";
import { seedWorkspace } from "@envs/hub-server/src/commands/seed/seed-workspace.ts";
import { sharedHub, sharedUser } from "@envs/hub-server/testing/shared-hub";
import { beforeAll, expect, it } from "vitest";

import { temporaryFolder } from "../../../cli/test/command.ts";

const server = sharedHub("server", { HUB_LIMITS: "off", HUB_REPLAY_SECONDS: "0" });
const ada = sharedUser(server, "ada");
const bob = sharedUser(server, "bob");

beforeAll(async () => {
  const root = join(import.meta.dirname, "../../../..");
  for await (const _ of seedWorkspace(server.hub, root));
});

/** Runs the built command line: Node does not run TypeScript sources of installed packages. */
async function envs(args: readonly string[], variables: Readonly<Record<string, string>>) {
  const bin = join(import.meta.dirname, "../../../cli/bin/envs.js");
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: join(import.meta.dirname, "../../../.."),
    env: { ...process.env, NODE_OPTIONS: "", NODE_PATH: "", NO_COLOR: "1", ...variables },
  });
  child.stdin.end();
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, "exit");
  return { stdout, stderr, code: child.exitCode };
}

const variablesOf = ({ token }: { readonly token: string }) => ({
  ENVS_HUB: server.url,
  ENVS_HUB_TOKEN: token,
});

async function pushedId(
  args: readonly string[],
  user: { readonly token: string },
): Promise<string> {
  const { stdout, stderr, code } = await envs([...args, "--json"], variablesOf(user));
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { readonly pushed: { readonly id: string } }).pushed.id;
}

it("installs the package of a run, and repeats it", async () => {
  const outputs = await temporaryFolder();
  const id = await pushedId(
    [
      ..."eval tictactoe -m policy:random -n 6 -r 2 --quiet --push".split(" "),
      ..."--min-random-move-prob 0.3 --save".split(" "),
      outputs,
    ],
    ada,
  );
  const again = await pushedId(
    ["run", "reproduce", `${server.url}/run/${id}`, "--quiet", "--save", outputs],
    bob,
  );
  const client = hubClient({ url: server.url });
  const [original, repeated] = [
    await client.readRun({ run: id }),
    await client.readRun({ run: again }),
  ];
  expect(repeated.owner).toBe("bob");
  expect(repeated.recipe.config).toEqual(original.recipe.config);
  const page = await (await server.request(`/run/${id}`)).text();
  expect(page).toMatch(/counts: new replies|its replies are those|disagrees: the intervals/);
  expect(repeated.badges.map(({ name }) => name)).toEqual(["declared"]);
});

it("rejects what is not a run of the hub", async () => {
  const outputs = await temporaryFolder();
  const unknown = await envs(
    ["run", "reproduce", "0000000000000000", "--save", outputs],
    variablesOf(bob),
  );
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("0000000000000000") });
  const other = await envs(["run", "reproduce", "not a run"], variablesOf(bob));
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("is not a run") });
});
