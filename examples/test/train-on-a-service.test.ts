import { shapeFor, TinyModel, trainTokenizer, untrained } from "@envs/tiny-model";
import { tinyBackend } from "@envs/trainer";
import { expect, test, vi } from "vitest";

import { TinkerServer } from "../../packages/trainer/test/tinker/tinker-server.ts";
import { trainOnService } from "../train-on-a-service.ts";

test("train-on-a-service.ts trains a model on a service and prints each step", async () => {
  const words = ["Reverse the text. <reversed>abcdefghijklm</reversed>", "nopqrstuvwxyz"];
  const tokenizer = trainTokenizer(words, { vocabularySize: 128 });
  const shape = shapeFor(tokenizer, { width: 16, layers: 1, heads: 2, hidden: 32, context: 512 });
  const tiny = tinyBackend(await TinyModel.start("tiny", untrained(shape, tokenizer, 0)));
  await using server = await TinkerServer.start(tiny, {
    baseModel: "Qwen/Qwen3-4B-Instruct-2507",
    contextLength: 512,
  });
  const lines: unknown[][] = [];
  vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => void lines.push(values));
  await trainOnService(server.url, tiny.renderer);
  expect(lines.map(([step]) => step)).toEqual([1, 2, 3]);
  expect(lines.every(([, reward]) => typeof reward === "number")).toBe(true);
});
