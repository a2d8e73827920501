import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { sidesOf } from "@envs/records";
import { findRuns, readRun } from "@envs/records/node";
import { expect, test, vi } from "vitest";

import { envsHere, temporaryFolder } from "../../../cli/test/command.ts";
import { lettersPackage, metadataOf, promptsOf } from "../../../cli/test/evaluation/letters.ts";
import { startEnvs } from "./run-with-workers.ts";

const size = ["-m", "policy:right", "-n", "4", "-r", "2"];

async function openRuns(queue: string) {
  const { stdout } = await envsHere(["queue", "status", "--json", "--queue", queue]);
  return (JSON.parse(stdout) as { readonly runs: readonly { readonly id: string }[] }).runs;
}

/** The messages and replies of each side in the only run of a folder. */
async function sidesIn(folder: string) {
  const [path = ""] = await findRuns(folder);
  const { rollouts } = await readRun(path);
  return rollouts
    .toSorted((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex)
    .flatMap(sidesOf)
    .map(({ seat, prompt, completion }) => ({ seat, prompt, completion }));
}

test("a worker refuses other files than those of the run, and restarts with the new ones", async () => {
  await using database = await postgresDatabase();
  const queue = ["--queue", database.url];
  const root = await lettersPackage();
  const save = await temporaryFolder();
  const first = startEnvs(["eval", root, ...size, ...queue, "--save", save]);
  await first.prints("No worker plays this run yet");
  const grade = join(root, "dist/grade.js");
  await writeFile(grade, "export const grade = () => 0.5;\n");
  const worker = startEnvs(["queue", "worker", ...queue]);
  await first.prints(`The worker on ${hostname()} cannot play this run: ${root} has other files`);
  await worker.prints("(dist/grade.js)");
  first.child.kill("SIGINT");
  expect((await first.ended()).code).toBe(1);

  // The worker has loaded the new files, and plays them.
  const second = startEnvs(["eval", root, ...size, ...queue, "--save", save]);
  expect((await second.ended()).code).toBe(0);
  await writeFile(grade, "export const grade = () => 0.25;\n");
  const third = startEnvs(["eval", root, ...size, ...queue, "--save", save]);
  await third.prints("If the files have changed since this worker loaded them, restart it.");
  startEnvs(["queue", "worker", ...queue]);
  expect((await third.ended()).code).toBe(0);
});

test("a run that was killed is resumed in its queue, or in this process, which closes it there", async () => {
  await using database = await postgresDatabase();
  const queue = ["--queue", database.url];
  const root = await lettersPackage();
  const save = await temporaryFolder();
  const killed = startEnvs(["eval", root, ...size, ...queue, "--max-queued", "2", "--save", save]);
  await killed.prints("No worker plays this run yet");
  killed.child.kill("SIGKILL");
  await killed.ended();
  const [path = ""] = await findRuns(save);
  const [open] = await openRuns(database.url);
  expect(await metadataOf(path)).toMatchObject({
    queue: { run: open!.id, address: database.url },
  });

  const alone = await envsHere(["eval", "--resume", path, "--queue", "none"]);
  expect(alone.stderr).toContain(`Closed the run in the queue ${database.url}.`);
  expect(alone.code).toBe(0);
  expect(await promptsOf(path)).toBe("aabbccdd");
  expect(await openRuns(database.url)).toEqual([]);
  expect((await metadataOf(path))["queue"]).toBeNull();

  const again = startEnvs(["eval", root, ...size, ...queue, "--save", `${save}/again`]);
  await again.prints("No worker plays this run yet");
  again.child.kill("SIGKILL");
  await again.ended();
  const worker = startEnvs(["queue", "worker", ...queue]);
  const [next = ""] = await findRuns(`${save}/again`);
  const resumed = await envsHere(["eval", "--resume", next]);
  expect(resumed.stderr).toContain(`Continuing in the queue ${database.url}`);
  expect(resumed.code).toBe(0);
  expect(await promptsOf(next)).toBe("aabbccdd");
  worker.child.kill("SIGTERM");
  expect((await worker.ended()).stderr).toContain("Played 8 rollouts");
});

test("workers play a model in each seat, and refuse a run with a model that they cannot load", async () => {
  await using database = await postgresDatabase();
  const queue = ["--queue", database.url];
  const save = await temporaryFolder();
  const game = ["eval", "kuhn-poker", "-n", "12", "-r", "4", "--rotate-seats"];
  const models = ["-m", "player0=policy:honest", "-m", "player1=policy:careless(0.5)"];
  const worker = startEnvs(["queue", "worker", ...queue]);
  const queued = await envsHere([...game, ...models, ...queue, "--save", `${save}/queued`]);
  const alone = await envsHere([...game, ...models, "--save", `${save}/alone`]);
  expect([queued.code, alone.code], queued.stderr).toEqual([0, 0]);
  const sides = await sidesIn(`${save}/queued`);
  expect(sides).toEqual(await sidesIn(`${save}/alone`));
  expect(new Set(sides.map(({ seat }) => seat))).toEqual(new Set(["player0", "player1"]));

  vi.stubEnv("SEAT_KEY", "secret");
  const served = ["--base-url", "http://127.0.0.1:9/v1", "--api-key-var", "SEAT_KEY"];
  const foreign = ["-m", "player0=policy:honest", "-m", "player1=far-away", ...served];
  const refused = startEnvs([...game, ...foreign, ...queue, "--save", `${save}/refused`]);
  vi.unstubAllEnvs();
  await refused.prints(`The worker on ${hostname()} cannot play this run: `);
  await worker.prints("SEAT_KEY");
});

test("envs queue cancel closes a run, and rejects ids that are unknown", async () => {
  await using database = await postgresDatabase();
  const queue = ["--queue", database.url];
  const run = startEnvs([
    "eval",
    "tictactoe",
    "-m",
    "policy:optimal",
    ...queue,
    "--save",
    await temporaryFolder(),
  ]);
  await run.prints("No worker plays this run yet");
  const [open] = await openRuns(database.url);
  const watched = await envsHere(["queue", "status", ...queue]);
  expect(watched.stdout).toMatch(/tictactoe +policy:optimal .*\n/);
  expect(watched.stdout).toContain(open!.id);
  const cancelled = await envsHere(["queue", "cancel", open!.id, ...queue]);
  expect(cancelled).toMatchObject({ code: 0, stdout: `Closed the run ${open!.id}.\n` });
  expect(await openRuns(database.url)).toEqual([]);
  const again = await envsHere(["queue", "cancel", open!.id, ...queue]);
  expect(again.stdout).toContain("was cancelled before");
  const unknown = await envsHere(["queue", "cancel", crypto.randomUUID(), ...queue]);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("has no run") });
  const wrong = await envsHere(["queue", "cancel", "latest", ...queue]);
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is not the id of a run"),
  });
});
