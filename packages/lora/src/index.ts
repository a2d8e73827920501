export { LoraModel } from "./lora-model.ts";
export type { LoraModelOptions, ModelFiles } from "./lora-model.ts";
export type { AdapterSettings } from "./adapter/adapter.ts";
export type { Architecture, Projection } from "./model/architecture.ts";
export type { TensorSource } from "./model/frozen-weights.ts";
export { readPeft, readPeftSettings, writePeft } from "./adapter/peft.ts";
export type { PeftAdapter } from "./adapter/peft.ts";
