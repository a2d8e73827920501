import * as fc from "fast-check";
import { expect, test } from "vitest";

import { completeAdapterConfig } from "../../src/node/adapter-config.ts";
import { safetensors } from "./safetensors.ts";

const lora = (module: string) => [`${module}.lora_A.weight`, `${module}.lora_B.weight`];
const weights = safetensors([
  ...lora("base_model.model.model.layers.0.self_attn.q_proj"),
  ...lora("base_model.model.model.layers.1.self_attn.q_proj"),
  ...lora("base_model.model.model.layers.0.mlp.down_proj"),
  "base_model.model.model.embed_tokens.lora_embedding_A",
]);

function complete(config: object, tensors = weights): unknown {
  const bytes = Buffer.from(JSON.stringify(config));
  const completed = completeAdapterConfig({ config: bytes, weights: tensors }, "you/base");
  expect(completed.weights).toBe(tensors);
  return JSON.parse(Buffer.from(completed.config).toString("utf8"));
}

test("it names the modules that have weights, since PEFT would ignore most of them", () => {
  expect(complete({ r: 16, target_modules: null })).toEqual({
    r: 16,
    base_model_name_or_path: "you/base",
    target_modules: ["down_proj", "embed_tokens", "q_proj"],
  });
});

test("it keeps the modules that a service names", () => {
  expect(complete({ target_modules: ["q_proj"] })).toMatchObject({ target_modules: ["q_proj"] });
});

test("it rejects weights without an adapter, and files that are damaged", () => {
  expect(() => complete({}, safetensors(["lm_head.weight"]))).toThrow(/no LoRA weights/u);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(() => complete({}, bytes)).toThrow(/Try again|no LoRA weights/u);
    }),
  );
  const config = Buffer.from("{");
  expect(() => completeAdapterConfig({ config, weights }, "you/base")).toThrow(
    "The service sent a damaged adapter_config.json. Try again.",
  );
});
