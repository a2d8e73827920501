// The model
export { TinyModel } from "./tiny-model.ts";
export type { TinyModelOptions } from "./tiny-model.ts";
export {
  readCheckpoint,
  resetOptimizer,
  shapeFor,
  untrained,
  writeCheckpoint,
} from "./checkpoint.ts";
export type { Checkpoint } from "./checkpoint.ts";
export { engineArithmetic } from "./engine/fastest-build.ts";
export type { Shape } from "./engine/shape.ts";

// Sample
export { chatModel } from "./sampling/chat-model.ts";
export type { ChatModelOptions } from "./sampling/chat-model.ts";
export type { Completion, Sampler, SampleRequest } from "./sampling/sampler.ts";

// Compute gradients
export type { AdamWSettings } from "./engine/adamw.ts";
export type { ForwardOutput, OutputGradients, TargetSequence } from "./replica/target-sequence.ts";

// Text to tokens
export { chatRenderer } from "./tokenizer/chat-renderer.ts";
export type { Renderer } from "./tokenizer/chat-renderer.ts";
export { tokenizerFromJSON } from "./tokenizer/tokenizer-json.ts";
export type { Tokenizer } from "./tokenizer/tokenizer.ts";
export { trainTokenizer } from "./tokenizer/train-tokenizer.ts";
export type { TokenizerOptions } from "./tokenizer/train-tokenizer.ts";
