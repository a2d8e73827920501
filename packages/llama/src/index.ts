export { llama } from "./llama.ts";
export type { LlamaModel, LlamaOptions } from "./llama.ts";
