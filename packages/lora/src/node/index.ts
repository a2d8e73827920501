export { readGguf } from "./gguf.ts";
export { readGgufTokenizer } from "./gguf-tokenizer.ts";
export type { TokenizerFiles } from "./gguf-tokenizer.ts";
export { readModelFolder } from "./safetensors-folder.ts";
