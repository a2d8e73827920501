import { ConfigError } from "@envs/core";
import {
  getLlama,
  type Llama,
  type LlamaContext,
  LlamaLogLevel,
  type LlamaModel as Weights,
} from "node-llama-cpp";

import { checkGguf } from "./gguf.ts";

export interface LoadOptions {
  readonly sequences: number;
  readonly contextSize: number | undefined;
  readonly threads: number;
  readonly gpu: boolean;
}

/** A model in memory. */
export interface Loaded {
  readonly weights: Weights;
  readonly context: LlamaContext;
  readonly unload: () => Promise<void>;
}

/** Loads a GGUF file. Throws a `ConfigError` that says what to do if that fails. */
export async function load(path: string, options: LoadOptions): Promise<Loaded> {
  await checkGguf(path);
  const engine = await startEngine(options);
  // Disposing of the engine frees the weights and the context too.
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
  return explained(
    starting,
    (reason) =>
      `llama.cpp does not start on this machine (${reason}). Install again with optional dependencies: they bring its binary.`,
  );
}

function loadWeights(engine: Llama, path: string): Promise<Weights> {
  return explained(
    engine.loadModel({ modelPath: path }),
    (reason) =>
      `llama.cpp cannot load ${path} (${reason}). The file may be incomplete: download it again.`,
  );
}

function makeContext(weights: Weights, options: LoadOptions): Promise<LlamaContext> {
  const { sequences, threads } = options;
  const contextSize = options.contextSize ?? { max: Math.min(weights.trainContextSize, 8192) };
  return explained(
    // With flash attention a token comes out the same whatever else is in its batch: one seed, one text.
    weights.createContext({ sequences, contextSize, threads, flashAttention: true }),
    (reason) =>
      `llama.cpp cannot hold ${sequences} conversations of that length (${reason}). Lower sequences or contextSize.`,
  );
}

async function explained<Result>(
  work: Promise<Result>,
  explain: (reason: string) => string,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(explain(reason), [], { cause: error });
  }
}
