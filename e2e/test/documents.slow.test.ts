// Runs every command of every document on an empty machine, with a seeded hub. Those of the environments' READMEs play a policy, as the
// environments' own tests do.
import { join } from "node:path";

import { startBrowser } from "@envs/hub-server/testing/chromium";
import { modelServer } from "@envs/models/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type ShellBlock, workspaceShellBlocks } from "../../tooling/test/support/shell-blocks.ts";
import { temporaryFolder } from "./support/command-line.ts";
import {
  copyBuiltPages,
  createMachine,
  type Machine,
  restoreClone,
  withCommand,
} from "./support/guides/machine.ts";
import { runBlocks } from "./support/guides/run-blocks.ts";
import { approver } from "./support/hub/approver.ts";
import { type HubProcess, startHub } from "./support/hub/process.ts";
import { logIn } from "./support/hub/publishing.ts";

const root = join(import.meta.dirname, "../..");
const runnable = workspaceShellBlocks(root).filter(({ notRun }) => notRun === undefined);
/** The commands that install a clone, which run before all others. */
const setup = runnable.find(({ document }) => document === "docs/guides/get-the-command.md")!;
const documents = [
  ...Map.groupBy(
    runnable.filter(
      (block) =>
        !block.document.startsWith("environments/") &&
        !isSetup(block) &&
        !(block.isInEmptyFolder && isRepeated(block)),
    ),
    ({ document }) => document,
  ),
].filter(([, blocks]) => !blocks.every(isRepeated));
const isInstall = (block: ShellBlock): boolean =>
  block.isInEmptyFolder && /^echo .* >> \.npmrc.*\nnpm install [^\n]+$/.test(block.text);

/** Stands for the API of a provider, which commands use without an address. */
const hostedAPI = "https://hosted.example.com/v1";

/** The model that each address in the documents has. */
const modelNames = {
  [hostedAPI]: "gpt-5-mini",
  "https://api.example.com/v1": "some-model",
  "http://localhost:8000/v1": "Qwen/Qwen3-4B",
  "http://localhost:8080/v1": "model",
  "http://127.0.0.1:8001/v1": "tictactoe-grpo/checkpoint-100",
  "http://127.0.0.1:7462/r/run/first/v1": "Qwen/Qwen3-8B",
};

const stack = new AsyncDisposableStack();
let machine: Machine;
let hub: HubProcess;
let approve: (url: string) => Promise<void>;
const addresses: Record<string, string> = {};

beforeAll(async () => {
  const { path } = stack.use(await temporaryFolder());
  machine = await createMachine(path);
  const { code, printed } = await session([setup]);
  expect(code, printed).toBe(0);
  machine = await withCommand(machine);
  await copyBuiltPages(machine);

  // Publishes this workspace, which is built, unlike the clone.
  const args = ["--seed", root];
  const variables = { HUB_REGISTRATION: "open" };
  hub = stack.use(await startHub({ data: join(path, "hub"), args, variables }));
  const browser = await startBrowser();
  stack.defer(() => browser.close());
  approve = await approver(browser, hub, "ada");
  await logIn(hub.url, "grace");
  addresses["http://localhost:4873"] = hub.url;
  for (const [address, name] of Object.entries(modelNames)) {
    const server = await modelServer({ answer: () => "reply", name });
    stack.defer(() => server.close());
    addresses[address] = server.url;
  }
});

// Removing what npm installed takes a while.
afterAll(() => stack.disposeAsync());

/** Runs blocks, and approves logins in the browser. */
async function session(blocks: readonly ShellBlock[]) {
  const approved = new Set<string>();
  return await runBlocks(machine, blocks, {
    addresses,
    variables: { OPENAI_BASE_URL: addresses[hostedAPI] ?? "" },
    onOutput(printed) {
      for (const [, url = ""] of printed.matchAll(/\bOpen\b.*\n\s+(http\S+)\n/g)) {
        if (approved.has(url)) continue;
        approved.add(url);
        void approve(url);
      }
    },
  });
}

/** The lines of a block, without comments. */
function commandsIn({ text }: ShellBlock): readonly string[] {
  return text.replaceAll(/ +#.*$/gm, "").split("\n");
}

function isSetup(block: ShellBlock): boolean {
  return commandsIn(block).every((command) => commandsIn(setup).includes(command));
}

/** Whether an earlier or a longer block has all commands of this one. */
function isRepeated(block: ShellBlock): boolean {
  const commands = commandsIn(block);
  return runnable.some(
    (other, at) =>
      other.isInEmptyFolder === block.isInEmptyFolder &&
      (at < runnable.indexOf(block) || commandsIn(other).length > commands.length) &&
      commands.every((command) => commandsIn(other).includes(command)),
  );
}

// Documents that only install packages from a hub share a test.
const [installs, others] = [true, false].map((wanted) =>
  documents.filter(([, blocks]) => blocks.every(isInstall) === wanted),
);

test("finds the packages of all documents on an empty machine", async () => {
  const [first, ...rest] = (installs ?? []).flatMap(([, blocks]) => blocks);
  const names = rest.flatMap(({ text }) => text.split("npm install ")[1]!.split(" "));
  // Resolves all versions and peers. Other documents install what they resolve.
  const { code, printed } = await session([
    { ...first!, text: [first!.text, ...new Set(names), "--package-lock-only"].join(" ") },
  ]);
  expect(code, printed).toBe(0);
});

test.each(others ?? [])("every command of %s runs on an empty machine", async (_, blocks) => {
  await restoreClone(machine);
  const { code, printed } = await session(blocks);
  expect(code, printed).toBe(0);
});
