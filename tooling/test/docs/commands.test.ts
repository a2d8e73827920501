import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { checkCommandLine } from "../../../packages/cli/src/main.ts";
import { repositoryFiles } from "../../src/repository-files.ts";
import {
  commandsOf,
  envsArguments,
  workspaceInlineCommands,
  workspaceShellBlocks,
} from "../support/shell-blocks.ts";

const root = join(import.meta.dirname, "../../..");
const blocks = workspaceShellBlocks(root);
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const builtIn = ["install", "test", "exec", "run", "--filter"];
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "envs-commands-"));
  mkdirSync(join(folder, "run"));
  writeFileSync(join(folder, "run/metadata.json"), "{}");
});

afterAll(() => rm(folder, { recursive: true }));

/** Guides name packages and runs that their readers have created, and versions of our packages. */
function existing(argument: string): string {
  if (argument === "." || /^\.?\/?(environments\/)?guess-the-number/.test(argument))
    return join(root, "examples/guess-the-number.ts");
  if (/^@envs\/[a-z-]+@[\d.]+$/.test(argument)) return argument.slice(0, argument.lastIndexOf("@"));
  if (argument.startsWith("outputs/evals/")) return join(folder, "run");
  return argument.startsWith("./examples/") ? join(root, argument) : argument;
}

test.each(blocks)("the command line accepts the commands at $place", async ({ text }) => {
  const commands = commandsOf(text).flatMap((words) => [envsArguments(words) ?? []]);
  // Vitest drops the query of a module's address, which names the tasks.
  const isLoadable = (args: readonly string[]): boolean =>
    args.length > 0 && !args.some((argument) => argument.startsWith("harbor:"));
  for (const args of commands.filter(isLoadable))
    await expect(checkCommandLine(args.map(existing))).resolves.toBeUndefined();
});

test.each(workspaceInlineCommands(root))("the command line accepts %s", async (command) => {
  const [words = []] = commandsOf(command);
  const args = envsArguments(words.filter((word) => word !== "--help"));
  expect(args).toBeDefined();
  await checkCommandLine((args ?? []).map(existing));
});

const runnable = blocks.filter(({ notRun }) => notRun === undefined);

test.each(runnable)("the block at $place needs Node, npm and a clone or a hub only", ({ text }) => {
  for (const words of commandsOf(text)) {
    if (envsArguments(words) !== undefined) continue;
    const [program = "", first = "", second = "", third = ""] = words;
    expect(["cd", "echo", "envs-hub", "export", "mkdir", "node", "npm", "npx"]).toContain(program);
    // A document installs vitest before it runs it.
    if (program !== "npx" || first === "vitest") continue;
    expect([first, second]).toEqual(["-y", "pnpm@12"]);
    expect([...Object.keys(scripts), ...builtIn]).toContain(third);
  }
});

const installing = runnable.filter(({ text }) => /npm install [^\n]*@envs\//.test(text));
const creating = blocks.filter(({ text }) => text.includes("npm create envs"));

test.each(installing)("the block at $place takes our packages from a hub", ({ text }) => {
  expect(text).toContain("@envs:registry=http://localhost:4873");
});

test.each(creating)("the block at $place takes create-envs from a hub", ({ text }) => {
  expect(text).toMatch(/npm create envs@latest [^\n]*--registry=http:\/\/localhost:4873/);
});

test("states a reason for each block that tests do not run", () => {
  const places = blocks.flatMap(({ document, notRun }) =>
    notRun === undefined ? [] : [`${document}: ${notRun}`],
  );
  expect(places).toMatchInlineSnapshot(`
    [
      "CONTRIBUTING.md: runs all tests",
      "docs/experiments/harbor-cookbook.md: needs a container engine and the recipes",
      "docs/experiments/sandboxed-environments.md: downloads a language model",
      "docs/experiments/self-play.md: takes a quarter of an hour",
      "docs/experiments/tictactoe.md: takes twelve minutes",
      "docs/experiments/tictactoe.md: takes half an hour",
      "docs/guides/evaluate-a-model.md: needs a GPU",
      "docs/guides/evaluate-a-model.md: downloads a model",
      "docs/guides/evaluate-a-model.md: downloads a model",
      "docs/guides/evaluate-a-model.md: downloads a model",
      "docs/guides/evaluate-a-model.md: needs an interrupted run",
      "docs/guides/first-evaluation.md: needs a key",
      "docs/guides/get-the-command.md: a separate test runs it, pnpm release:rehearse",
      "docs/guides/grade-safely.md: needs a container engine",
      "docs/guides/grade-safely.md: needs a run",
      "docs/guides/grade-safely.md: needs a container engine",
      "docs/guides/improve-prompts.md: continues an interrupted search",
      "docs/guides/judge-replies.md: asks a language model",
      "docs/guides/judge-replies.md: asks a language model",
      "docs/guides/open-a-harbor-task.md: needs podman",
      "docs/guides/open-a-harbor-task.md: needs a container engine",
      "docs/guides/open-a-harbor-task.md: needs a container engine and the tasks",
      "docs/guides/open-a-harbor-task.md: needs a container engine, the tasks and a key",
      "docs/guides/operate-a-hub.md: needs clients at two providers",
      "docs/guides/operate-a-hub.md: needs an SMTP server",
      "docs/guides/operate-a-hub.md: needs PostgreSQL and an object store",
      "docs/guides/operate-a-hub.md: needs a PostgreSQL server",
      "docs/guides/operate-a-hub.md: needs Docker",
      "docs/guides/operate-a-hub.md: needs a cluster",
      "docs/guides/operate-a-hub.md: needs Docker",
      "docs/guides/operate-a-hub.md: needs another hub",
      "docs/guides/operate-a-hub.md: needs the data of a hub",
      "docs/guides/operate-a-hub.md: needs PostgreSQL and an object store",
      "docs/guides/operate-a-hub.md: needs PostgreSQL and an object store",
      "docs/guides/operate-a-hub.md: needs the data of a hub",
      "docs/guides/operate-a-hub.md: needs the data of a hub",
      "docs/guides/play.md: waits for a player",
      "docs/guides/publish-an-environment.md: needs a token",
      "docs/guides/publish-an-environment.md: needs a cloud account",
      "docs/guides/push-a-run.md: needs a login on a hub",
      "docs/guides/push-a-run.md: needs a login on a hub",
      "docs/guides/push-a-run.md: needs a login on a hub",
      "docs/guides/read-a-run.md: needs a job of Harbor",
      "docs/guides/read-a-run.md: needs jq",
      "docs/guides/rollout-viewer.md: a program that does not end; a separate test runs it",
      "docs/guides/run-a-hub.md: a program that does not end; a separate test runs it",
      "docs/guides/run-a-hub.md: a program that does not end; a separate test runs it",
      "docs/guides/run-on-many-machines.md: needs PostgreSQL",
      "docs/guides/run-on-many-machines.md: needs PostgreSQL",
      "docs/guides/run-on-many-machines.md: needs several machines",
      "docs/guides/run-on-many-machines.md: needs several machines",
      "docs/guides/run-on-many-machines.md: needs several machines",
      "docs/guides/run-on-many-machines.md: needs a queue",
      "docs/guides/run-on-many-machines.md: needs several machines",
      "docs/guides/run-on-many-machines.md: needs several machines",
      "docs/guides/run-on-many-machines.md: needs a queue",
      "docs/guides/run-on-many-machines.md: needs containers and a hub",
      "docs/guides/score-replies.md: downloads from PyPI",
      "docs/guides/serve-environments.md: needs Python packages",
      "docs/guides/test-your-agent.md: fails on purpose",
      "docs/guides/train-a-large-model.md: downloads gigabytes of Python packages and a model",
      "docs/guides/train-a-large-model.md: needs the server above",
      "docs/guides/train-a-large-model.md: needs the server above",
      "docs/guides/train-a-large-model.md: needs the server above",
      "docs/guides/train-a-real-model.md: needs the weights of a model, and hours",
      "docs/guides/train-a-real-model.md: needs the run above",
      "docs/guides/train-with-nemo-rl.md: needs Python packages",
      "docs/guides/train-with-nemo-rl.md: needs Python packages",
      "docs/guides/train-with-nemo-rl.md: needs a GPU",
      "docs/guides/train-with-nemo-rl.md: needs a GPU",
      "docs/guides/train-with-nemo-rl.md: needs a GPU",
      "docs/guides/train-with-prime-rl.md: needs a GPU",
      "docs/guides/train-with-prime-rl.md: needs a GPU",
      "docs/guides/train-with-skyrl.md: needs a GPU",
      "docs/guides/train-with-tinker.md: needs a cloud account",
      "docs/guides/train-with-tinker.md: needs a cloud account",
      "docs/guides/train-with-trl.md: needs a GPU",
      "docs/guides/train-with-trl.md: needs a GPU",
      "docs/guides/train-with-unsloth.md: needs a GPU",
      "docs/guides/train-with-unsloth.md: needs a GPU",
      "docs/guides/train.md: takes four minutes",
      "docs/guides/train.md: takes three minutes",
      "docs/guides/train.md: needs an agent",
      "docs/guides/train.md: takes six minutes",
      "docs/guides/trust-an-evaluation.md: needs a hub with a run",
      "docs/guides/trust-an-evaluation.md: needs a published suite and its environments",
      "docs/guides/use-a-dataset.md: needs the Hugging Face Hub",
      "docs/guides/use-a-dataset.md: needs the Hugging Face Hub",
      "docs/guides/use-a-sandbox.md: needs root",
      "docs/guides/use-a-sandbox.md: downloads packages",
      "docs/guides/use-an-agent-program.md: needs a key and the program",
      "docs/guides/use-an-agent-program.md: needs a container engine, a key and packages from npm",
      "docs/guides/use-an-agent-program.md: needs a key and the program",
      "docs/guides/use-mcp-servers.md: the inspector comes from the public registry",
      "docs/guides/write-a-recursive-environment.md: asks a language model",
      "docs/releasing.md: writes a file for a version that is not released",
      "environments/gsm8k/README.md: downloads from PyPI",
      "environments/long-context/README.md: asks a language model",
      "environments/math-python/README.md: needs bubblewrap",
      "environments/summarize/README.md: asks a language model",
      "environments/support-desk/README.md: asks a language model",
      "hub-server/README.md: a program that does not end; a separate test runs it",
      "packages/create-envs/README.md: a separate test runs it, pnpm release:rehearse",
      "packages/docs/README.md: a program that does not end",
      "packages/harbor/README.md: needs a container engine",
      "packages/scores/README.md: downloads from PyPI",
      "packages/tiny-base/README.md: takes minutes",
      "packages/tiny-tictactoe/README.md: takes twelve minutes",
      "packages/vitest/README.md: needs a project with tests",
    ]
  `);
});

test("no document, message or template installs our packages from a public registry", () => {
  const files = repositoryFiles([
    "**/*.md",
    "packages/*/src/**",
    "packages/*/templates/**",
    "hub-server/src/**",
  ]);
  const dangerous =
    /npx (?:-y |-p |--yes )*(?:envs\b|envs-hub|@envs\/)|(?:pnpm|yarn|bun) (?:add|dlx|install|x) [^\n`]*@envs\/|npm (?:i|install|exec|x) @envs\//;
  const isMapped = /@envs:registry=/;
  const found = files.filter((file) => {
    if (file.endsWith("CHANGELOG.md")) return false;
    const text = readFileSync(join(root, file), "utf8").replaceAll(/```sh[\s\S]*?```/g, (block) =>
      isMapped.test(block) ? "" : block,
    );
    return dangerous.test(text);
  });
  expect(found).toEqual([]);
});
