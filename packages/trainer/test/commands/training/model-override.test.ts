import { trainingPlan } from "@envs/trainer";
import { expect, test } from "vitest";

import { overrideModel } from "../../../src/commands/training/model-override.ts";
import { serviceOptions } from "../../../src/commands/training/service-arguments.ts";

const modelOf = (model: object) => trainingPlan.parse({ phases: {}, model }).model;
const tiny = modelOf({ width: 32 });
const served = modelOf({ baseModel: "Qwen/Qwen3-8B", loraRank: 8, contextLength: 512 });

test.for<[string, object, object, object]>([
  [
    "replaces a tiny model by a base model",
    tiny,
    { baseModel: "A" },
    { baseModel: "A", loraRank: 32 },
  ],
  [
    "keeps the settings of the recipe's base model",
    served,
    { contextLength: 256, from: "tinker://x" },
    { baseModel: "Qwen/Qwen3-8B", loraRank: 8, contextLength: 256, from: "tinker://x" },
  ],
  [
    "drops the tokenizer and the weights of another base model",
    modelOf({ baseModel: "B", tokenizer: "B", from: "tinker://b", loraRank: 8 }),
    { baseModel: "A" },
    { baseModel: "A", loraRank: 8 },
  ],
  [
    "trains a tiny model instead of a base model",
    served,
    { backend: "tiny", from: "tiny:base" },
    { from: "tiny:base" },
  ],
  ["keeps the tiny model", tiny, { threads: 2 }, tiny],
  [
    "trains another real model with the size of the recipe's adapter",
    modelOf({ localModel: "A", tokenizer: "A", from: "a", loraRank: 8, contextLength: 96 }),
    { localModel: "B", loraAlpha: 8, loraTargets: ["v_proj"] },
    { localModel: "B", loraRank: 8, loraAlpha: 8, loraTargets: ["v_proj"], contextLength: 96 },
  ],
])("overrideModel() %s", ([, model, overrides, expected]) => {
  expect(overrideModel(modelOf(model), overrides)).toEqual(expected);
});

test.for<[string, object, object, string]>([
  ["tinker without a base model", tiny, { backend: "tinker" }, "Missing base model"],
  ["threads of a service", served, { threads: 2 }, "--threads is for the tiny model"],
  ["a rank of the tiny model", tiny, { loraRank: 8 }, "--lora-rank is for a real model"],
  ["a real model without a name", tiny, { backend: "lora" }, "Missing model"],
  ["a base model on the tiny backend", served, { backend: "tiny" }, "Remove --backend tiny"],
])("overrideModel() rejects %s", ([, model, overrides, message]) => {
  expect(() => overrideModel(modelOf(model), overrides)).toThrow(message);
});

test("--price takes three prices per million tokens", () => {
  const price = { prompt: 0.07, sampled: 0.22, trained: 0.3 };
  expect(serviceOptions({ price: "0.07,0.22,0.3" }).price).toEqual(price);
  for (const text of ["1,2", "1,2,3,4", "1,,3", "1,2,-3"])
    expect(() => serviceOptions({ price: text })).toThrow("three prices");
});
