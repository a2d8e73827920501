import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";

// Runs the tests with agent programs from npm: those that the arguments name, such as `pnpm test:agents pi codex opencode`. Without
// arguments pi plays, and the recorded replies to Codex and Claude Code are replayed. `--install` only installs them.
const packages: Readonly<Record<string, string>> = {
  pi: "@earendil-works/pi-coding-agent@0.87.1",
  codex: "@openai/codex@0.169.0",
  opencode: "opencode-ai@1.18.33",
  "claude-code": "@anthropic-ai/claude-code@2.1.197",
};
const root = join(import.meta.dirname, "../..");
const chosen = process.argv.slice(2).filter((argument) => argument !== "--install");
const played = chosen.length === 0 ? ["pi"] : chosen;
const replayed = chosen.length === 0 ? ["codex", "claude-code"] : chosen;
const names = [...new Set([...played, ...replayed])];
const unknown = names.filter((name) => !Object.hasOwn(packages, name));
if (unknown.length > 0)
  throw new Error(
    `There are no tests with ${unknown.join(", ")}. Name some of ${Object.keys(packages).join(", ")}.`,
  );
const folder = (name: string): string => join(root, "node_modules/.cache/agent-programs", name);

for (const name of names) {
  mkdirSync(folder(name), { recursive: true });
  const options = ["--no-audit", "--no-fund", "--no-save", "--loglevel", "error"];
  const { status } = spawnSync(
    "npm",
    ["install", "--prefix", folder(name), ...options, packages[name] ?? name],
    { stdio: "inherit" },
  );
  if (status !== 0) throw new Error(`npm cannot install ${packages[name]}. Check the network.`);
}
if (process.argv.includes("--install")) process.exit();
const programs = names.map((name) => join(folder(name), "node_modules/.bin"));
const { status } = spawnSync(
  "vitest",
  ["run", "--root", root, "--config", join(root, "tooling/agents.config.ts")],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      ENVS_AGENT_PROGRAMS: played.join(","),
      ENVS_REPLAYED_PROGRAMS: replayed.join(","),
      PATH: [...programs, process.env["PATH"] ?? ""].join(delimiter),
    },
  },
);
process.exitCode = status ?? 1;
