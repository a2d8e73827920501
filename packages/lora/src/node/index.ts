export { readGguf } from "./gguf.ts";
export { readModelFolder } from "./safetensors-folder.ts";
