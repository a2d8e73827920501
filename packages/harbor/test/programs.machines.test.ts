import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import {
  assistantMessage,
  callTools,
  evaluate,
  type Model,
  type Rollout,
  textOf,
} from "@envs/core";
import { agentPreset, agentProgram, shellAgent } from "@envs/gateway";
import { docker } from "@envs/machine";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { harbor } from "../src/index.ts";

// Agent programs in the machines of tasks. Programs from npm play if ENVS_AGENT_PROGRAMS names them: codex,pi
const { ENVS_TEST_MACHINE_SOCKET: socket, ENVS_TEST_MACHINE_IMAGE: image = "envs-test-base" } =
  process.env;
const provider = docker({ socket });
const installed = new Set((process.env["ENVS_AGENT_PROGRAMS"] ?? "").split(","));

const taskOf = (agent = ""): Readonly<Record<string, string>> => ({
  "task.toml": `[environment]\ndocker_image = "${image}"\nnetwork_mode = "no-network"\nworkdir = "/app"\n[agent]\n${agent}`,
  "instruction.md": "Write 2 + 3 to /app/sum.txt.",
  "tests/test.sh": `if [ "$(cat /app/sum.txt)" = 5 ] && ! grep -q tail /proc/[0-9]*/comm; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n`,
});
const twoSteps = {
  "task.toml": `[environment]\ndocker_image = "${image}"\nnetwork_mode = "no-network"\nworkdir = "/app"\n[[steps]]\nname = "one"\n[[steps]]\nname = "two"\n`,
  "steps/one/instruction.md": "Write 2 + 3 to /app/sum.txt.",
  "steps/one/tests/test.sh": `grep -qx 5 /app/sum.txt && echo 1 > /logs/verifier/reward.txt\n`,
  "steps/two/instruction.md": "Write 2 + 4 to /app/next.txt.",
  "steps/two/tests/test.sh": `grep -qx 6 /app/next.txt && echo 1 > /logs/verifier/reward.txt\n`,
};

async function play(files: Readonly<Record<string, string>>, model: Model): Promise<Rollout> {
  const folder = await mkdtemp(join(tmpdir(), "envs-harbor-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const environment = harbor(folder, { provider })();
  const { rollouts } = await evaluate(environment, { model, rolloutsPerExample: 1 });
  return rollouts[0]!;
}

const answers: Model = async () => ({ message: assistantMessage("5"), finish: "stop" });
/** A program that is a script of a shell, which the image has. */
const shell = (script: string): Model =>
  agentProgram({ command: "bash", args: () => ["-c", script], model: answers });
const activityOf = (rollout: Rollout) =>
  rollout.trajectory.flatMap(({ activity = [] }) => activity);

const ask = `curl -s "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json" -d '{"model":"model","messages":[{"role":"user","content":"2+3?"}]}'`;

test("a program works in the machine as the agent, and reaches its model only", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-of-this-computer");
  onTestFinished(() => void vi.unstubAllEnvs());
  const rollout = await play(
    taskOf(),
    shell(`
${ask} | grep -o '"content":"5"' > answer.txt
echo 5 > sum.txt
(tail -f /dev/null &) # A daemon, which must not live when the tests come.
env | grep -c sk-of-this-computer
curl -sm 3 http://198.51.100.1 || echo no network
kill -9 -1 2>/dev/null; ${ask} | grep -c chat.completion`),
  );
  expect(rollout).toMatchObject({ status: "scored", reward: 1, stopReason: "end" });
  expect(textOf(rollout.completion.at(-1)!.content)).toBe("0\nno network\n1");
  expect(rollout.trajectory[0]!.calls).toHaveLength(2);
  expect(activityOf(rollout)).toEqual([
    {
      kind: "files",
      text: '--- /dev/null\n+++ b/answer.txt\n@@ -0,0 +1,1 @@\n+"content":"5"\n--- /dev/null\n+++ b/sum.txt\n@@ -0,0 +1,1 @@\n+5\n',
    },
  ]);
});

test("a program without an end is ended at the agent's time, and graded", async () => {
  const rollout = await play(
    taskOf("timeout_sec = 5\n"),
    shell("echo 5 > sum.txt; echo working; while :; do sleep 1; done"),
  );
  expect(rollout).toMatchObject({ status: "scored", reward: 1 });
  expect(activityOf(rollout).map(({ kind }) => kind)).toEqual(["limit", "files"]);
});

test.each([
  ["echo broken >&2; exit 3", /bash exited with code 3\. broken/],
  ["kill -9 $$", /bash exited with code 137/],
  ["yes", /wrote too much to its stdout/],
])("a program that does %s fails the rollout", async (script, message) => {
  expect(await play(taskOf(), shell(script))).toMatchObject({
    status: "failed",
    error: { code: "agent", message: expect.stringMatching(message) },
  });
});

test("our own agent writes and changes files with the rights of the agent", async () => {
  const edit = (path: string, before: string, after: string) =>
    callTools([["edit", { path, old_text: before, new_text: after }]]);
  const replies = [
    edit("/tmp/new/sum.txt", "", "one\n4\n"),
    edit("/tmp/new/sum.txt", "4", "5"),
    edit("/tmp/new/sum.txt", "six", "x"),
    edit("/etc/passwd", "root", "toor"),
    callTools([["bash", { command: "tail -n 1 /tmp/new/sum.txt" }]]),
    assistantMessage("Done."),
  ];
  let turn = 0;
  const model: Model = async () => ({ message: replies[turn++]!, finish: "stop" });
  const rollout = await play(taskOf('user = "daemon"\n'), shellAgent({ model }));
  const results = rollout.completion.filter(({ role }) => role === "tool");
  expect(results.map(({ content }) => content)).toEqual([
    "Changed /tmp/new/sum.txt.",
    "Changed /tmp/new/sum.txt.",
    "/tmp/new/sum.txt does not contain old_text. It must match exactly, with spaces and line ends.",
    expect.stringContaining("/etc/passwd"),
    "5\n",
  ]);
  expect(rollout).toMatchObject({ status: "scored", reward: 0 });
});

/** What the tool of a program for commands needs, by its name. */
const shellTools: Readonly<Record<string, (command: string) => object>> = {
  Bash: (command) => ({ command }),
  bash: (command) => ({ command, description: "Writes the file" }),
  exec_command: (cmd) => ({ cmd }),
  run_shell_command: (command) => ({ command, description: "Writes it", is_background: false }),
};

/** A model that solves the tasks by the program's own tool for commands. */
const scripted: Model = async ({ messages, tools = [] }) => {
  const name = tools.map((tool) => tool.name).find((each) => Object.hasOwn(shellTools, each));
  const last = messages.findLast(({ role, content }) => role === "user" && asks(textOf(content)));
  const result = messages.at(-1)?.role === "tool";
  if (name === undefined || last === undefined || result)
    return { message: assistantMessage(result ? "Written." : "A title"), finish: "stop" };
  const isNext = textOf(last.content).includes("2 + 4");
  const command = isNext ? "echo 6 > /app/next.txt" : "echo 5 > /app/sum.txt";
  const message = callTools([[name, shellTools[name]!(command)]], messages.length);
  return { message, finish: "tool_calls" };
};
const asks = (text: string): boolean => /Write 2 \+ [34]/u.test(text);

const programs: readonly (readonly [name: string, acp: boolean])[] = [
  ["pi", false],
  ["codex", false],
  ["opencode", false],
  ["claude-code", false],
  ["gemini-cli", false],
  ["gemini-cli", true],
  ["qwen-code", false],
];
const chosen = programs.filter(([name]) => installed.has(name));

// Programs of 300 MB start slowly on busy machines.
describe.each(chosen)("%s, over ACP: %s", (program, acp) => {
  test.each([
    ["a task", taskOf()],
    ["a task of two steps", twoSteps],
  ])("solves %s without a network", async (_, task) => {
    const rollout = await play(task, agentPreset(program, { model: scripted, acp }));
    expect(rollout).toMatchObject({ status: "scored", reward: 1 });
    const files = activityOf(rollout).find(({ kind }) => kind === "files");
    expect(files?.text).toContain("+++ b/sum.txt");
    for (const { calls = [] } of rollout.trajectory) expect(calls.length).toBeGreaterThan(1);
  });
});
