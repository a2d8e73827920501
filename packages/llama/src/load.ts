import { open } from "node:fs/promises";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import {
  getLlama,
  type Llama,
  type LlamaContext,
  LlamaLogLevel,
  type LlamaModel as Weights,
} from "node-llama-cpp";

export interface LoadOptions {
  readonly sequences: number;
  readonly contextSize: number | undefined;
  readonly threads: number;
  readonly gpu: boolean;
  /** The GGUF file of a LoRA adapter. */
  readonly adapter: string | undefined;
}

/** A model in memory. */
export interface LoadedModel {
  readonly weights: Weights;
  readonly context: LlamaContext;
  readonly unload: () => Promise<void>;
}

/** Loads a GGUF file. Throws a `ConfigError` with the remedy if that fails. */
export async function load(path: string, options: LoadOptions): Promise<LoadedModel> {
  await checkGguf(path);
  if (options.adapter !== undefined) await checkGguf(options.adapter, "convert_lora_to_gguf.py");
  const engine = await startEngine(options);
  // dispose() of the engine frees the weights and the context too.
  const unload = (): Promise<void> => engine.dispose();
  try {
    const weights = await loadWeights(engine, path);
    return { weights, context: await makeContext(weights, options), unload };
  } catch (error) {
    await unload();
    throw error;
  }
}

function startEngine({ gpu, threads }: LoadOptions): Promise<Llama> {
  const starting = getLlama({
    gpu: gpu ? "auto" : false,
    build: "never",
    logLevel: LlamaLogLevel.error,
    logger: () => {},
    progressLogs: false,
    maxThreads: threads,
  });
  return withConfigError(
    starting,
    (reason) =>
      `llama.cpp does not start on this machine (${reason}). Install @envs/llama with optional dependencies: they contain its binary.`,
  );
}

function loadWeights(engine: Llama, path: string): Promise<Weights> {
  return withConfigError(
    engine.loadModel({ modelPath: path }),
    (reason) =>
      `llama.cpp cannot load ${path} (${reason}). The file may be incomplete: download it again.`,
  );
}

function makeContext(weights: Weights, options: LoadOptions): Promise<LlamaContext> {
  const { sequences, threads, adapter } = options;
  const contextSize = options.contextSize ?? { max: Math.min(weights.trainContextSize, 8192) };
  return withConfigError(
    weights.createContext({
      sequences,
      contextSize,
      threads,
      // Makes results independent of the other sequences in the batch, so that the same seed gives the same text.
      flashAttention: true,
      ...(adapter === undefined ? {} : { lora: adapter }),
    }),
    (reason) =>
      adapter === undefined
        ? `llama.cpp cannot allocate ${sequences} sequences of this context size (${reason}). Lower sequences or contextSize.`
        : `llama.cpp cannot apply the adapter ${adapter} (${reason}). It must be a LoRA adapter of this base model. If memory is short, lower sequences or contextSize.`,
  );
}

async function withConfigError<Result>(
  work: Promise<Result>,
  explain: (reason: string) => string,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const reason = messageOf(error);
    throw new ConfigError(explain(reason), [], { cause: error });
  }
}

/** Throws a `ConfigError` if a file does not exist or is not a GGUF file. */
async function checkGguf(path: string, converter = "convert_hf_to_gguf.py"): Promise<void> {
  const start = await readStart(path);
  if (start.toString("latin1") === "GGUF") return;
  throw new ConfigError(
    `${path} is not a GGUF file. Download the model in that format, or convert it with llama.cpp's ${converter}.`,
  );
}

async function readStart(path: string): Promise<Buffer> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw new ConfigError(`${path} ${reasonOf(error)}. Pass the path of a GGUF file.`, [], {
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist";
  if (code === "EISDIR") return "is a folder";
  return `cannot be read (${code})`;
}
