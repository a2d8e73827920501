import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assistantMessage, type AssistantMessage, textOf } from "@envs/core";
import { type ReplyFunction } from "@envs/core/testing";
import { type EnvironmentManifest, hubClient } from "@envs/hub-client";
import { seedEnvironment } from "@envs/hub-server/testing/seed-environment";
import { sharedHub } from "@envs/hub-server/testing/shared-hub";
import { modelServer } from "@envs/models/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

import { envsHere } from "../command.ts";

const hub = sharedHub("server", { HUB_LIMITS: "off" });
const environment = ["./environments/long-context", "--characters", "20000", "-n", "1", "-r", "2"];
const questions = ["Which city?", "Which author wrote?"];
const code = `askAll(${JSON.stringify(questions)}).join(" and ")`;
let folder: string;

beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "envs-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const run: AssistantMessage = {
  ...assistantMessage(""),
  tool_calls: [
    { id: "1", type: "function", function: { name: "run", arguments: JSON.stringify({ code }) } },
  ],
};

/** A model that runs code, replies with its result, and answers a question with an exclamation mark. Each letter is a token. */
const recursive: ReplyFunction = ({ messages }) => {
  const last = messages.at(-1)!;
  const said = textOf(last.content);
  const isAsked = questions.includes(said);
  const question = isAsked ? assistantMessage(said.replace("?", "!")) : run;
  const message = last.role === "tool" ? assistantMessage(`<answer>${said}</answer>`) : question;
  const completionIds = idsOf(message.content);
  return {
    message,
    finish: message.tool_calls === undefined ? "stop" : "tool_calls",
    usage: { inputTokens: 100, outputTokens: 10 },
    tokens: {
      promptIds: idsOf(said),
      completionIds,
      completionLogprobs: completionIds.map(() => -1),
    },
  };
};

const idsOf = (said: string): number[] => Array.from(said, (letter) => letter.codePointAt(0)!);
const textOfIds = (ids: readonly number[]): string => String.fromCodePoint(...ids);

const rowsOf = <Row>(lines: string): Row[] =>
  lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

/** Plays two rollouts with models over HTTP, and returns what the command prints as JSON. */
async function evaluate(...args: readonly string[]) {
  const options = ["--save", folder, "--quiet", "--json"];
  const {
    stdout,
    code: exit,
    stderr,
  } = await envsHere(["eval", ...environment, ...args, ...options]);
  expect(exit, stderr).toBe(0);
  return JSON.parse(stdout) as { readonly run: string } & Record<string, unknown>;
}

test("envs eval asks --sub-model on its own server; its calls are exported and pushed as branches", async () => {
  await using player = await modelServer({ name: "large", answer: recursive });
  await using reader = await modelServer({ name: "small", answer: recursive });
  const models = ["-m", "large", "--base-url", player.url, "--sub-model", "small"];
  const played = await evaluate(...models, "--sub-model-base-url", reader.url, "--tokens");
  expect([player.requests, reader.requests]).toEqual([4, 4]);
  expect(played).toMatchObject({
    usage: { input_tokens: 400, output_tokens: 40 },
    sub_model_usage: { small: { calls: 4, input_tokens: 400, output_tokens: 40 } },
  });

  const { stdout } = await envsHere(["export", "sft", played.run, "--branches", "--bare"]);
  const chats = rowsOf<{ readonly messages: readonly { readonly content: string }[] }>(stdout);
  expect(chats.map(({ messages }) => messages.at(-1)!.content)).toEqual([
    "<answer>Which city! and Which author wrote!</answer>",
    "Which city!",
    "Which author wrote!",
  ]);
  const samples = await envsHere(["export", "samples", played.run, "--branches"]);
  expect([samples.code, samples.stdout]).toEqual([1, ""]);
  expect(samples.stderr).toContain("the sub-model calls of 2 rollouts have no token ids");

  const server = { ENVS_HUB: hub.url, ENVS_HUB_TOKEN: await publishLongContext() };
  const pushed = await envsHere(["run", "push", played.run, "--json"], server);
  const { id } = JSON.parse(pushed.stdout) as { readonly id: string };
  const read = await hubClient({ url: hub.url }).readRollout({ run: id, position: 1 });
  const stored = rowsOf<typeof read>(await readFile(join(played.run, "results.jsonl"), "utf8"));
  expect(read["branches"]).toMatchObject([{ turn: 0, sub_model: "small" }, { turn: 0 }]);
  expect(read["branches"]).toEqual(stored.find((row) => row["rollout_index"] === 1)!["branches"]);
});

test("envs export samples --branches writes the tokens of calls that the playing model answered", async () => {
  await using player = await modelServer({ name: "large", answer: recursive });
  const played = await evaluate("-m", "large", "--base-url", player.url, "--tokens");
  const { stdout } = await envsHere(["export", "samples", played.run, "--branches"]);
  const samples = rowsOf<{
    readonly is_sub_model?: boolean;
    readonly input_ids: readonly number[];
    readonly loss_mask: readonly number[];
  }>(stdout);
  const sampled = samples
    .filter((sample) => sample.is_sub_model === true)
    .map(({ input_ids: ids, loss_mask: mask }) => textOfIds(ids.filter((_, at) => mask[at] === 1)));
  expect(sampled).toEqual([
    "Which city!",
    "Which author wrote!",
    "Which city!",
    "Which author wrote!",
  ]);
});

/** Publishes long-context, and returns a token of its owner. */
async function publishLongContext(): Promise<string> {
  const file = join(
    import.meta.dirname,
    "../../../../environments/long-context/envs.manifest.json",
  );
  const manifest = JSON.parse(await readFile(file, "utf8")) as EnvironmentManifest;
  const owner = await hub.createUser("envs");
  const versions = [manifest.package.version];
  await seedEnvironment(hub.hub, owner, { bare: "long-context", versions, manifest });
  return owner.token;
}
