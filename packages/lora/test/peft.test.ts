import { expect, test } from "vitest";

import { readPeft, readPeftSettings, writePeft } from "../src/adapter/peft.ts";
import { alpha, rank, smallModel } from "./small-model.ts";

test("an adapter in PEFT's format has the same numbers when it is read", () => {
  const { model } = smallModel();
  const before = model.adapter.values.slice();
  const { config, tensors } = writePeft(model.adapter, "small");
  expect(readPeftSettings(config)).toMatchObject({ rank, alpha });
  model.adapter.values.fill(0);
  readPeft(model.adapter, tensors);
  expect(model.adapter.values).toEqual(before);
});

test("an adapter of another kind is rejected with the field that differs", () => {
  const { model } = smallModel();
  const { config } = writePeft(model.adapter);
  expect(() => readPeftSettings({ ...(config as object), use_dora: true })).toThrow("use_dora");
  expect(() => readPeftSettings({ ...(config as object), target_modules: ["lm_head"] })).toThrow(
    "target_modules",
  );
});

test("an adapter for a model of another size is rejected with the tensor's name", () => {
  const { tensors } = writePeft(smallModel().model.adapter);
  const { model } = smallModel({ intermediate_size: 32 });
  expect(() => readPeft(model.adapter, tensors)).toThrow("mlp.gate_proj.lora_B.weight");
});
