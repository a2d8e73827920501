import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { temporaryFolder } from "./support/command-line.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const libraries = [
  "audit",
  "gateway",
  "hub-client",
  "hub-cli",
  "models",
  "scores",
  "optimize",
  "otel",
  "queue",
  "records",
  "sandbox",
  "tiny-model",
  "trainer",
  "serve",
  "vitest",
  "cli",
];
/** What a project installs: the libraries, what they depend on, and an environment. */
const packages = [...libraries, "tiny-base", "tictactoe"];
/** pnpm asks for each script that a dependency wants to run. */
const allowBuilds = { esbuild: false, "node-llama-cpp": false };

const stack = new AsyncDisposableStack();
/** A project outside the workspace, in which pnpm installed the tarballs. */
let project: string;

beforeAll(async () => {
  const { path } = stack.use(await temporaryFolder());
  // As a release does.
  const filters = packages.map((name) => `--filter-prod=@envs/${name}...`);
  await run("pnpm", [...filters, "pack", "--pack-destination", path], { cwd: root });
  const tarballs = Object.fromEntries(
    (await readdir(path)).map((file) => {
      const [, name] = /^envs-(.+)-\d+\.\d+\.\d+\.tgz$/.exec(file)!;
      return [`@envs/${name}`, `file:${join(path, file)}`];
    }),
  );
  project = join(path, "project");
  await mkdir(project);
  const dependencies = { ...tarballs, "@types/node": "24" };
  const manifest = { name: "project", private: true, type: "module", dependencies };
  await writeFile(join(project, "package.json"), JSON.stringify(manifest));
  const settings = { packages: ["."], overrides: tarballs, allowBuilds };
  await writeFile(join(project, "pnpm-workspace.yaml"), JSON.stringify(settings));
  await run("pnpm", ["install", "--prefer-offline"], { cwd: project });
});

afterAll(() => stack.disposeAsync());

test("installs and runs the packages outside the workspace", async () => {
  const path = project;
  const args = ["eval", "tictactoe", "-m", "policy:optimal", "-n", "20", "-r", "1", "--json"];
  const envs = join(path, "node_modules/@envs/cli/bin/envs.js");
  const { stdout } = await run(process.execPath, [envs, ...args], { cwd: path });
  const evaluated = JSON.parse(stdout) as { readonly run: string };
  expect(evaluated).toMatchObject({
    is_complete: true,
    counts: { scored: 20 },
    scores: { loss: { mean: 0 } },
  });
  const jsonOf = async (...file: readonly string[]): Promise<unknown> =>
    JSON.parse(await readFile(join(path, ...file), "utf8"));
  const manifest = await jsonOf("node_modules/@envs/tictactoe/envs.manifest.json");
  const { contentHash } = manifest as { readonly contentHash: string };
  expect(await jsonOf(evaluated.run, "metadata.json")).toMatchObject({
    environment: { content_hash: contentHash },
  });
  // Runs without --json, which omits the warnings: package managers unpack sources and builds in any order.
  await utimes(join(path, "node_modules/@envs/tictactoe/src/index.ts"), new Date(), new Date());
  const noted = await run(process.execPath, [envs, ...args.slice(0, -1)], { cwd: path });
  expect(noted.stderr).not.toContain("older than its sources");
  const tiny = ["eval", "tictactoe", "-m", "tiny:base", "-n", "4", "-r", "2", "--json"];
  const played = await run(process.execPath, [envs, ...tiny], { cwd: path });
  expect(JSON.parse(played.stdout)).toMatchObject({ is_complete: true, counts: { scored: 8 } });
});

test("compiles against the published types with skipLibCheck false", async () => {
  const path = project;
  const compilerOptions = {
    module: "nodenext",
    target: "esnext",
    lib: ["esnext", "dom", "dom.iterable"],
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  };
  await writeFile(join(path, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const entries = [
    "cli/kit",
    "core",
    "core/engine",
    "core/testing",
    "models/server",
    "models/testing",
    "records/node",
    "hub-cli/commands",
  ];
  const modules = libraries.filter((name) => name !== "hub-cli");
  const imports = [...entries, ...modules, "tictactoe"].map((name) => `import "@envs/${name}";`);
  await writeFile(
    join(path, "program.ts"),
    `${imports.join("\n")}
import { defineEnvironment, evaluate } from "@envs/core";
import { openai } from "@envs/models";
const environment = defineEnvironment({
  name: "sums",
  dataset: () => [{ prompt: "1 + 1", answer: 2 }],
  rubric: { right: ({ reply, example }) => Number(reply) === example.answer },
});
export const { reward } = await evaluate(environment(), { model: openai("gpt-5") });
`,
  );
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout } = await run(tsc, ["-p", "."], { cwd: path }).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  expect(stdout).toBe("");
});
