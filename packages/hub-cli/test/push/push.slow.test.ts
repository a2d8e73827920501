import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type EnvironmentManifest, hubClient } from "@envs/hub-client";
import { seedEnvironment } from "@envs/hub-server/testing/seed-environment";
import { sharedHub } from "@envs/hub-server/testing/shared-hub";
import { beforeAll, expect, test } from "vitest";

import { envsHere, temporaryFolder } from "../../../cli/test/command.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const name = "@envs/tictactoe";
let variables: Readonly<Record<string, string>>;

beforeAll(async () => {
  const folder = join(import.meta.dirname, "../../../../environments/tictactoe");
  const text = await readFile(join(folder, "envs.manifest.json"), "utf8");
  const manifest = JSON.parse(text) as EnvironmentManifest;
  const owner = await server.createUser("envs");
  await seedEnvironment(server.hub, owner, {
    bare: "tictactoe",
    versions: [manifest.package.version],
    manifest,
  });
  variables = { ENVS_HUB: server.url, ENVS_HUB_TOKEN: owner.token };
});

const evaluation = "eval tictactoe -m policy:random -n 6 -r 2 --quiet".split(" ");

async function evaluate(...options: readonly string[]): Promise<string> {
  const outputs = await temporaryFolder();
  const { stdout, code, stderr } = await envsHere(
    [...evaluation, "--save", outputs, "--json", ...options],
    variables,
  );
  expect(code, stderr).toBe(0);
  return stdout;
}

test("pushes an evaluation, whose numbers the hub computes alike", async () => {
  const local = JSON.parse(await evaluate("--seed", "3")) as Record<string, unknown> & {
    readonly run: string;
    readonly reward: { readonly mean: number };
  };
  const { stdout, stderr, code } = await envsHere(["run", "push", local.run], variables);
  expect(code, stderr).toBe(0);
  const [, id = ""] = /\/run\/(\w+)/.exec(stdout) ?? [];
  expect(stdout).toContain(`Pushed 12 rollouts of ${name}`);
  const { summary, recipe } = await hubClient({ url: server.url }).readRun({ run: id });
  expect(summary.counts).toEqual(local["counts"]);
  // The last digits of a sum depend on its order, and rollouts finish in any order.
  expect(summary.reward.mean).toBeCloseTo(local.reward.mean, 9);
  expect(summary.passAtK).toEqual(local["pass_at_k"]);
  expect(recipe).toMatchObject({ package: name, model: "policy:random", seed: 3 });
  expect(recipe.details).toMatchObject({ rolloutsPerExample: 2 });
  const again = await envsHere(["run", "push", local.run, "--json"], variables);
  expect(JSON.parse(again.stdout)).toEqual({
    id,
    url: `${server.url}/run/${id}`,
    package: name,
    version: recipe.version,
    rollouts: 12,
  });
});

test("declares, evaluates and pushes with one command", async () => {
  type Pushed = { readonly run: string; readonly pushed: { readonly id: string } };
  const { run, pushed } = JSON.parse(await evaluate("--push")) as Pushed;
  const client = hubClient({ url: server.url });
  const { summary, recipe, badges } = await client.readRun({ run: pushed.id });
  expect(summary.counts.scored).toBe(12);
  expect(badges.map(({ name }) => name)).toEqual(["declared"]);
  expect(recipe.details).toMatchObject({ shuffle: true });
  expect(recipe.seed).toBeGreaterThan(2 ** 20);
  const resumed = ["eval", "--resume", run, "--rollouts", "3", "--push", "--quiet"];
  const { stderr } = await envsHere(resumed, variables);
  expect(stderr).toContain("the run was declared to a hub with 6 examples × 2 rollouts");
  const rows = await readFile(join(run, "results.jsonl"), "utf8");
  await writeFile(join(run, "results.jsonl"), rows.slice(rows.indexOf("\n") + 1));
  const edited = await envsHere(["run", "push", run], variables);
  expect(edited.stderr).toContain("was used by a run on");
  const undeclared = await envsHere(["run", "push", run, "--undeclared", "--json"], variables);
  const { id } = JSON.parse(undeclared.stdout) as { id: string };
  expect((await client.readRun({ run: id })).badges[0]?.name).toBe("uploaded");
});

test("does not evaluate with a seed of the user that it would declare", async () => {
  const { stderr, code } = await envsHere([...evaluation, "--seed", "3", "--push"], variables);
  expect([code, stderr]).toEqual([2, expect.stringContaining("the hub chooses the seed")]);
});

test.each([
  ["without a login", { ENVS_HUB_TOKEN: "" }, "You are not logged in"],
  ["with a token of another hub", { ENVS_HUB_TOKEN: "npm_other" }, "token is invalid"],
  ["without a hub", { ENVS_HUB: "http://127.0.0.1:1" }, "127.0.0.1:1"],
])("stops before the first rollout %s", async (_, change, reason) => {
  const outputs = await temporaryFolder();
  const { stderr, code } = await envsHere([...evaluation, "--push", "--save", outputs], {
    ...variables,
    HOME: outputs,
    ...change,
  });
  expect(code).not.toBe(0);
  expect(stderr).toContain(reason);
  expect(stderr).not.toContain("saving to");
});

test("stops before the first rollout if the hub has other files or another version", async () => {
  const { database } = server.hub;
  const stored = await database.selectFrom("environments").selectAll().executeTakeFirstOrThrow();
  const original = JSON.stringify(stored.manifest);
  const edited = JSON.stringify({
    ...(stored.manifest as object),
    contentHash: `sha256-${"1".repeat(64)}`,
  });
  await database.updateTable("environments").set({ manifest: edited }).execute();
  const outputs = await temporaryFolder();
  const push = () => envsHere([...evaluation, "--push", "--save", outputs], variables);
  expect((await push()).stderr).toContain("The files of @envs/tictactoe that were run differ");
  await database.updateTable("environments").set({ manifest: original }).execute();
  const { version } = await database
    .selectFrom("versions")
    .select("version")
    .executeTakeFirstOrThrow();
  await database.updateTable("versions").set({ version: "99.0.0" }).execute();
  expect((await push()).stderr).toContain("Publish it first: envs publish");
  await database.updateTable("versions").set({ version }).execute();
});

test("rejects an incomplete run, a run of a loose file and a run that the user edited", async () => {
  const { run } = JSON.parse(await evaluate()) as { run: string };
  const metadata = join(run, "metadata.json");
  const text = await readFile(metadata, "utf8");
  const json = JSON.parse(text) as Record<string, unknown> & { environment: object };
  await writeFile(metadata, JSON.stringify({ ...json, is_complete: false }));
  expect((await envsHere(["run", "push", run], variables)).stderr).toContain("envs eval --resume");
  const loose = { ...json.environment, package: null };
  await writeFile(metadata, JSON.stringify({ ...json, environment: loose }));
  expect((await envsHere(["run", "push", run], variables)).stderr).toContain(
    "does not name the version",
  );
  await writeFile(metadata, text);
  const results = join(run, "results.jsonl");
  const rows = await readFile(results, "utf8");
  await writeFile(results, rows.replace(/"reward":[-\d.]+/, '"reward":123'));
  const { stderr, code } = await envsHere(["run", "push", run], variables);
  expect([code, stderr]).toEqual([1, expect.stringContaining("The reward is 123")]);
  await rm(run, { recursive: true });
});
