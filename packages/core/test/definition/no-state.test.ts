import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

const root = resolve(import.meta.dirname, "../../../..");
const hint =
  "This environment has no state. Write setup above the functions that read it; name, dataset and rubric are required.";

/** Returns what tsc prints for a file that defines an environment with these keys. */
async function compile(keys: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const core = JSON.stringify(join(root, "packages/core/src/index.ts"));
  const config = {
    extends: join(root, "tsconfig.test.json"),
    compilerOptions: { typeRoots: [join(root, "node_modules/@types")] },
    files: ["game.mts"],
    include: [],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  await writeFile(
    join(folder, "game.mts"),
    `import { defineEnvironment } from ${core};
     defineEnvironment({ name: "game", dataset: () => [{ prompt: "Go." }], ${keys} });`,
  );
  const tsc = join(root, "node_modules/.bin/tsc");
  return promisify(execFile)(tsc, ["-p", folder, "--pretty", "false"]).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  );
}

test("tsc explains that a state needs setup", async () => {
  const output = await compile("rubric: { won: ({ state }) => state.board.length }");
  expect(output).toContain(
    `error TS2339: Property 'board' does not exist on type 'NoState<"${hint}">'.`,
  );
});

test("tsc explains that a required key is missing", async () => {
  const output = await compile(
    `setup: ({ example }) => ({ board: example.prompt }),
     respond: ({ state }) => state.board`,
  );
  expect(output).toContain(`Property 'board' does not exist on type 'NoState<"${hint}">'.`);
});

test("tsc explains that setup stands too low", async () => {
  const output = await compile(
    `respond: ({ state }) => state.board,
     setup: ({ example }) => ({ board: example.prompt }),
     rubric: { one: () => 1 }`,
  );
  expect(output).toContain(`Property 'board' does not exist on type 'NoState<"${hint}">'.`);
});
