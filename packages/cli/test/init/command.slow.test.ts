import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import type { EnvironmentFactory } from "@envs/core";
import { checkReport } from "@envs/core/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { configOptions } from "../../src/environments/config-options.ts";
import { scoreWeights } from "../../src/environments/describe.ts";

const packages = join(import.meta.dirname, "../../..");
const bin = join(packages, "cli/src/bin.ts");

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "envs-init-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}

async function run(cwd: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", npm_config_user_agent: "npm/11" },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, "exit");
  return { stdout, stderr, code: child.exitCode };
}

function init(cwd: string, ...args: readonly string[]) {
  return run(cwd, bin, "init", ...args);
}

/** Links the dependencies of a new package from this workspace, instead of an installation. */
async function install(path: string): Promise<void> {
  const modules = join(path, "node_modules");
  await mkdir(join(modules, "@envs"), { recursive: true });
  await mkdir(join(modules, "@types"), { recursive: true });
  await symlink(join(packages, "core"), join(modules, "@envs/core"));
  await symlink(join(packages, "core/node_modules/zod"), join(modules, "zod"));
  await symlink(join(packages, "../node_modules/@types/node"), join(modules, "@types/node"));
}

describe.each(["single", "multi", "tools"])("a new environment of the kind %s", (kind) => {
  async function scaffold() {
    const path = join(await folder(), "new-one");
    const { code, stderr } = await init(tmpdir(), "new-one", "--kind", kind, "--directory", path);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    await install(path);
    const { default: factory } = (await import(join(path, "src/index.ts"))) as {
      readonly default: EnvironmentFactory;
    };
    return { path, factory };
  }

  test("passes the conformance suite", async () => {
    const { factory } = await scaffold();
    const report = await checkReport(factory, { packageName: "new-one", fullReward: 1 });
    expect(report.filter(({ problem }) => problem !== undefined)).toEqual([]);
  });

  test("compiles without errors", async () => {
    const { path } = await scaffold();
    const tsc = join(packages, "../node_modules/typescript/bin/tsc");
    const { stdout, code } = await run(
      path,
      tsc,
      "--noEmit",
      "--rewriteRelativeImportExtensions",
      "false",
      "--allowImportingTsExtensions",
    );
    expect(stdout).toBe("");
    expect(code).toBe(0);
  });

  test("documents its config, scores and policies in the README", async () => {
    const { path, factory } = await scaffold();
    const readme = await readFile(join(path, "README.md"), "utf8");
    const cells = readme.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    for (const option of configOptions(factory.definition))
      expect(cells).toContainEqual([
        "",
        `\`${option.name}\``,
        String(option.default),
        option.description,
        "",
      ]);
    for (const [name, weight] of Object.entries(scoreWeights(factory())))
      expect(cells.map((row) => row.slice(1, 3))).toContainEqual([`\`${name}\``, String(weight)]);
    for (const name of Object.keys(factory.definition.policies ?? {}))
      expect(readme).toContain(`policy:${name}`);
  });
});

test("writes a complete package with the given name and description", async () => {
  const at = await folder();
  const { stdout, code } = await init(
    at,
    "word-length",
    "--scope",
    "@me",
    "--description",
    "Count.",
  );
  expect(code).toBe(0);
  const path = join(at, "word-length");
  const files =
    ".gitignore .npmrc .yarnrc.yml README.md package.json src src/index.ts src/words.ts test test/environment.test.ts tsconfig.json";
  expect((await readdir(path, { recursive: true })).toSorted()).toEqual(files.split(" "));
  expect(JSON.parse(await readFile(join(path, "package.json"), "utf8"))).toMatchObject({
    name: "@me/word-length",
    description: "Count.",
    keywords: ["llm-environment"],
  });
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      expect(await readFile(join(entry.parentPath, entry.name), "utf8")).not.toMatch(/\{\{\w/);
  expect(stdout).toContain(
    "cd word-length\n  npm install\n  npm run check\n  npm run eval\n  npm run view\n",
  );
});

test("maps our scope to the hub in ENVS_HUB, for every package manager", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("ENVS_HUB", "https://hub.example.com");
  vi.stubEnv("HOME", await folder());
  const at = await folder();
  const { stdout } = await init(at, "word-length");
  expect(stdout).toContain("get our packages from https://hub.example.com.");
  const path = join(at, "word-length");
  expect(await readFile(join(path, ".npmrc"), "utf8")).toBe(
    "@envs:registry=https://hub.example.com/\n",
  );
  expect(await readFile(join(path, ".yarnrc.yml"), "utf8")).toContain("https://hub.example.com");
});

test("maps our scope to the hub of the user's configuration", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const home = await folder();
  await writeFile(join(home, ".npmrc"), "@envs:registry=https://hub.example.org/\n");
  vi.stubEnv("HOME", home);
  vi.stubEnv("NPM_CONFIG_USERCONFIG", join(home, ".npmrc"));
  vi.stubEnv("ENVS_HUB", "");
  const { stdout } = await init(await folder(), "word-length");
  expect(stdout).toContain("get our packages from https://hub.example.org.");
});

test("maps our scope to a hub on this machine if no hub is configured", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("HOME", await folder());
  vi.stubEnv("ENVS_HUB", "");
  const at = await folder();
  await init(at, "word-length");
  expect(await readFile(join(at, "word-length/.npmrc"), "utf8")).toBe(
    "@envs:registry=http://localhost:4873/\n",
  );
});

test("depends on the packages of the clone in a clone of the repository", async () => {
  const at = await folder();
  for (const name of ["core", "cli"]) {
    await mkdir(join(at, "packages", name), { recursive: true });
    await writeFile(join(at, "packages", name, "package.json"), "{}");
  }
  await writeFile(join(at, "pnpm-workspace.yaml"), "packages: [packages/*, environments/*]\n");
  const { stdout } = await init(at, "word-length");
  const path = join(at, "environments/word-length");
  expect(JSON.parse(await readFile(join(path, "package.json"), "utf8"))).toMatchObject({
    dependencies: { "@envs/core": "workspace:^" },
    devDependencies: { "@envs/cli": "workspace:^" },
  });
  expect(await readdir(path)).not.toContain(".npmrc");
  expect(stdout).toContain("cd environments/word-length\n  npx -y pnpm@12 install\n");
});

test("writes into a folder that contains only a Git repository", async () => {
  const at = await folder();
  await mkdir(join(at, ".git"));
  expect((await init(at, "word-length", "--directory", ".")).code).toBe(0);
});

describe("envs init does not write a file for", () => {
  test.each([
    [[], /Missing name\. Example: envs init word-length/],
    [["Word Length"], /is not a valid environment name.* For example: word-length/],
    [
      ["word-length", "--kind", "big"],
      /--kind is "big"\. It must be one of: single, multi, tools\./,
    ],
    [["word-length", "--scope", "My Own"], /"My Own" is not a valid scope/],
    [["word-length", "--knd", "multi"], /Did you mean --kind\?/],
  ])("%j", async (args, message) => {
    const at = await folder();
    const { stderr, code } = await init(at, ...args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(await readdir(at)).toEqual([]);
  });

  test("a folder that is not empty", async () => {
    const at = await folder();
    await mkdir(join(at, "word-length"));
    await writeFile(join(at, "word-length/mine.txt"), "mine");
    const { stderr, code } = await init(at, "word-length");
    expect(stderr).toMatch(/is not empty\. Choose another folder with --directory\./);
    expect(code).toBe(2);
    expect(await readdir(join(at, "word-length"))).toEqual(["mine.txt"]);
  });

  test("a path that is a file", async () => {
    const at = await folder();
    await writeFile(join(at, "word-length"), "");
    expect((await init(at, "word-length")).stderr).toMatch(/Cannot write to/);
  });
});
