import type { Message } from "@envs/core";
import { TinyModel } from "@envs/tiny-model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { smallCheckpoint } from "../../../tiny-model/test/small-model.ts";
import { tinyBackend, trainingPlan } from "../../src/index.ts";
import { sftDataset } from "../../src/train/sft.ts";

let model: TinyModel;
beforeAll(async () => {
  model = await TinyModel.start("small", smallCheckpoint(), { threads: 1, slots: 8 });
});
afterAll(() => model.close());

const chat: readonly Message[] = [
  { role: "user", content: "Hi" },
  { role: "assistant", content: "Yo" },
];
const chats = (count: number) => Array.from({ length: count }, () => chat);

const { sft: phase } = trainingPlan.parse({
  phases: { sft: { kind: "sft", data: { file: "chats.jsonl" } } },
}).phases;
if (phase?.kind !== "sft") throw new Error("The phase is not supervised.");

describe("sftDataset()", () => {
  test("reports every 5% of many conversations", async () => {
    const counts: number[] = [];
    const onTokenized = (count: number, total: number) => counts.push(count / total);
    await sftDataset(chats(2000), phase, tinyBackend(model), { onTokenized });
    expect(counts).toEqual(Array.from({ length: 20 }, (_, index) => (index + 1) / 20));
  });

  test("does not report the progress of few conversations", async () => {
    const onTokenized = () => expect.unreachable();
    const dataset = await sftDataset(chats(100), phase, tinyBackend(model), { onTokenized });
    expect(dataset.examples).toHaveLength(100);
  });

  test("rejects with the reason of its signal while it tokenizes", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("stopped")), 20);
    const options = { signal: controller.signal };
    const start = performance.now();
    const preparing = sftDataset(chats(1_000_000), phase, tinyBackend(model), options);
    await expect(preparing).rejects.toThrow("stopped");
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
