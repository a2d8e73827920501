// Writes the runs in test/fixtures/verifiers-*, by verifiers itself and a scripted model:
// node packages/records/test/python/write-fixtures.ts <environment with 0.3.1> <environment with 0.4.0>
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { type AssistantMessage, callTools, type Model } from "@envs/core";
import { chatServer, HttpError } from "@envs/models/server";

const run = promisify(execFile);
const fixtures = join(import.meta.dirname, "../fixtures");
const text = (content: string): AssistantMessage => ({ role: "assistant", content });

/** Replies by what the user asks. */
const scripted: Model = async ({ messages }) => {
  const question = String(messages.findLast(({ role }) => role === "user")?.content);
  const isToolResult = messages.at(-1)?.role === "tool";
  if (question.includes("Fail")) throw new HttpError(500, "The model is out of order.");
  if (question.includes("context"))
    throw new HttpError(400, "This model's maximum context length is 10 tokens.");
  if (question.includes("too long")) await sleep(5000);
  const isCall =
    question.includes("forever") || (question.includes("with the tool") && !isToolResult);
  const isCut = question.includes("long text");
  return {
    message: isCall
      ? callTools([["add", { a: 2, b: 3 }]])
      : question.includes("1 + 1")
        ? { ...text("2"), reasoning_content: "One and one." }
        : text(isToolResult ? "5" : isCut ? "A text that" : "2"),
    finish: isCall ? "tool_calls" : isCut ? "length" : "stop",
    usage: { inputTokens: 20, outputTokens: 5, cacheReadTokens: 8 },
  };
};

const [v031 = "", v040 = ""] = process.argv.slice(2).map((path) => resolve(path));
const folder = await mkdtemp(join(tmpdir(), "verifiers-"));
await using server = await chatServer(scripted, { name: "scripted" });
const options = {
  cwd: import.meta.dirname,
  env: { ...process.env, API_KEY: "none", PYTHONDONTWRITEBYTECODE: "1", PYTHONPATH: "." },
  maxBuffer: 64e6,
};

const legacy = join(folder, "0.3.1");
await run(join(v031, "bin/python"), ["legacy_run.py", server.url, legacy], options);
const client = ["--client.base-url", server.url, "--client.api-key-var", "API_KEY"];
const agent = ["--env.agent.max-turns", "2", "--env.agent.runtime.type", "subprocess"];
const output = ["--no-push", "--no-rich", "-o", folder, "--run.dir", "0.4.0"];
const evaluation = ["sums-v1", "-m", "scripted", "-r", "1", "-c", "1"];
await run(join(v040, "bin/vf-eval"), [...evaluation, ...client, ...agent, ...output], options);

for (const file of [
  "0.3.1/metadata.json",
  "0.3.1/results.jsonl",
  "0.4.0/traces.jsonl",
  "0.4.0/configs/resolved/eval.json",
]) {
  const written = await readFile(join(folder, file), "utf8");
  const path = join(fixtures, `verifiers-${file}`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(
    path,
    written
      .replaceAll(server.url, "http://localhost:8000/v1")
      .replaceAll(folder, "outputs")
      .replaceAll(homedir(), "~"),
  );
}
await rm(folder, { recursive: true });
