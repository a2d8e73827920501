import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { assistantMessage, type ModelRequest, textOf } from "@envs/core";
import { modelServer } from "@envs/models/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { envs, temporaryFolder } from "../../../../cli/test/command.ts";

const reverse = "./environments/reverse-text";
const twoTurns = "./environments/double-check";

interface Told {
  readonly counts: Readonly<Record<string, number>>;
  readonly rollouts: readonly {
    readonly reward: number | null;
    readonly error: { readonly code: string } | null;
  }[];
}

/** Runs a worker; `at` is the URL of the model's server. */
async function worker(at: string, args: readonly string[], variables = {}) {
  const { code, stdout, stderr } = await envs(["train", "rollouts", ...args, "--json"], "", {
    OPENAI_BASE_URL: at,
    OPENAI_MODEL: "model",
    AGL_OPENAI_BASE_URL: "",
    AGL_EVENT_URL: "",
    ...variables,
  });
  const told = (): Told => JSON.parse(stdout) as Told;
  return { code, stderr, told };
}

/** A trainer that receives events; its first `failing` responses are errors. */
async function eventServer(failing = 0) {
  const events: { readonly key: string | undefined; readonly body: unknown }[] = [];
  let left = failing;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      left -= 1;
      if (left < 0) events.push({ key: request.headers.authorization, body: JSON.parse(body) });
      response.writeHead(left < 0 ? 200 : 503).end();
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { events, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events` };
}

/** Encodes each letter as a token; the token 1000 starts a message. */
const codes = (said: string): number[] => Array.from(said, (letter) => letter.codePointAt(0)!);

function spelled(said: string) {
  return ({ messages }: Pick<ModelRequest, "messages">) => ({
    message: assistantMessage(said),
    finish: "stop" as const,
    tokens: {
      promptIds: [...messages.flatMap(({ content }) => [1000, ...codes(textOf(content))]), 1000],
      completionIds: codes(said),
      completionLogprobs: codes(said).map((code) => -code / 1000),
    },
  });
}

describe("envs train rollouts", () => {
  test("writes a record per group, with one sequence per growing conversation", async () => {
    const asked: ModelRequest[] = [];
    await using server = await modelServer({
      answer(request) {
        asked.push(request);
        return spelled("<answer>7</answer>")(request);
      },
    });
    const file = join(await temporaryFolder(), "groups.jsonl");
    const { code, told } = await worker(server.url, [twoTurns, "-n", "2", "-r", "3", "-g", file]);
    expect([code, told().counts]).toEqual([0, expect.objectContaining({ scored: 6, failed: 0 })]);
    // The trainer behind the server decides how to sample.
    expect(asked.map(({ sampling }) => sampling ?? {})).toEqual(asked.map(() => ({})));

    const groups = (await readFile(file, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown[]> & { example_id: number });
    expect(groups.map(({ example_id: id }) => id).toSorted()).toEqual([0, 1]);
    for (const group of groups) {
      expect(group).toMatchObject({ rollout_indices: [0, 1, 2], failed: [] });
      expect(group.scores).toHaveLength(3);
      const [tokens, masks, logprobs] = [group.tokens, group.masks, group.logprobs].map(
        (lists) => lists![0] as number[],
      ) as [number[], number[], number[]];
      const sampled = masks.filter((id) => id !== -100);
      expect(sampled).toEqual(codes("<answer>7</answer>".repeat(2)));
      expect(tokens.filter((_, place) => masks[place] !== -100)).toEqual(sampled);
      expect(logprobs).toEqual(masks.map((id) => (id === -100 ? 0 : -id / 1000)));
    }
  });

  test("records a failed rollout with its error code and without a score", async () => {
    await using server = await modelServer({
      answer: spelled("no"),
      faults: { serverError: { every: 2, status: 400 } },
    });
    const file = join(await temporaryFolder(), "groups.jsonl");
    const args = [reverse, "-r", "4", "-c", "1", "-g", file];
    const { code, told } = await worker(server.url, args);
    expect(code).toBe(1);
    expect(told().rollouts.map(({ reward, error }) => [typeof reward, error?.code])).toEqual([
      ["number", undefined],
      ["object", "model"],
      ["number", undefined],
      ["object", "model"],
    ]);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      rollout_indices: [0, 2],
      failed: [
        { rollout_index: 1, code: "model", message: expect.stringContaining("400") },
        { rollout_index: 3, code: "model" },
      ],
    });
  });

  test("fails if the server returns no token ids", async () => {
    await using server = await modelServer();
    const file = join(await temporaryFolder(), "groups.jsonl");
    const { code, stderr } = await worker(server.url, [reverse, "-g", file]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("did not return token ids")]);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      tokens: [],
      scores: [],
      failed: [{ rollout_index: 0, code: "tokens" }],
    });
  });

  test("respects Retry-After of a gateway, then posts the reward", async () => {
    await using server = await modelServer({
      name: "default",
      apiKey: "agl",
      faults: { rateLimit: { first: 6, retryAfter: 0.1 } },
    });
    const { events, url } = await eventServer(1);
    const { code, told } = await worker("", [reverse, "--index", "3"], {
      OPENAI_MODEL: "",
      AGL_OPENAI_BASE_URL: server.url,
      AGL_KEY: "agl",
      AGL_EVENT_URL: url,
    });
    expect([code, server.faultCounts.rateLimit]).toEqual([0, 6]);
    const [only, ...more] = told().rollouts;
    expect([only, more]).toEqual([expect.objectContaining({ example_id: 3 }), []]);
    expect(events).toEqual([
      { key: "Bearer agl", body: { event_type: "reward", data: { value: only!.reward } } },
    ]);
  });

  test("posts no reward for a failed rollout", async () => {
    await using server = await modelServer({ faults: { serverError: { status: 400 } } });
    const { events, url } = await eventServer();
    const { code } = await worker(server.url, [reverse], { AGL_EVENT_URL: url });
    expect([code, events]).toEqual([1, []]);
  });

  test.each([
    [["-r", "2"], "AGL_EVENT_URL accepts the reward of one rollout only"],
    [["-n", "2"], "AGL_EVENT_URL accepts the reward of one rollout only"],
    [["-n", "2", "--index", "1"], "--index selects a single example, so -n does not apply."],
    [["--index", "1000"], "reverse-text has no example with index 1000"],
  ])("rejects %j", async (args, message) => {
    const { code, stderr } = await worker("http://127.0.0.1:9/v1", [reverse, ...args], {
      AGL_EVENT_URL: "http://127.0.0.1:9/events",
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
