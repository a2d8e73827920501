import { ConfigError } from "@envs/core";
import * as z from "zod";

import { readSafetensors, type Tensor, writeSafetensors } from "../checkpoint/safetensors.ts";
import { parametersOf, type Shape, sizeOf } from "../engine/shape.ts";
import { tokenizerFromJSON } from "../tokenizer/tokenizer-from-json.ts";
import type { Tokenizer } from "../tokenizer/tokenizer.ts";
import { checkShape } from "./check-shape.ts";
import type { ReplicaState } from "./replica.ts";

/** A tiny model at rest: its size, its tokenizer, and all numbers that training changes. */
export interface Checkpoint {
  readonly shape: Shape;
  readonly tokenizer: Tokenizer;
  readonly state: ReplicaState;
}

const metadataSchema = z.object({
  format: z.literal("envs-tiny-1"),
  shape: z.string(),
  tokenizer: z.string(),
  steps: z.coerce.number().int().min(0),
});

/**
 * Writes one safetensors file: each matrix under its name, the optimiser's moments as `first.…` and `second.…`, and
 * shape, tokenizer and step count in its metadata. Without the optimiser it is what one publishes.
 */
export function writeCheckpoint(
  { shape, tokenizer, state }: Checkpoint,
  { withOptimizer = true }: { withOptimizer?: boolean } = {},
): Uint8Array {
  const tensors: Record<string, Tensor> = {};
  const parts = withOptimizer
    ? { "": state.weights, "first.": state.first, "second.": state.second }
    : { "": state.weights };
  for (const [prefix, values] of Object.entries(parts))
    for (const { name, rows, columns, offset } of parametersOf(shape))
      tensors[prefix + name] = {
        shape: [rows, columns],
        data: values.subarray(offset, offset + rows * columns),
      };
  return writeSafetensors(tensors, {
    format: "envs-tiny-1",
    shape: JSON.stringify(shape),
    tokenizer: JSON.stringify(tokenizer),
    steps: String(withOptimizer ? state.steps : 0),
  });
}

/** Reads a checkpoint; `origin` names it in messages. A file without an optimiser starts with a fresh one. */
export function readCheckpoint(bytes: Uint8Array, origin: string): Checkpoint {
  const { tensors, metadata } = named(origin, () => readSafetensors(bytes));
  const parsed = metadataSchema.safeParse(metadata);
  if (!parsed.success)
    throw new ConfigError(
      `${origin} is a safetensors file, but not of a tiny model: its metadata has no format envs-tiny-1. Give a checkpoint that envs train wrote.`,
    );
  const { data } = parsed;
  const shape = named(origin, () => checkShape(JSON.parse(data.shape)));
  const tokenizer = named(origin, () => tokenizerFromJSON(JSON.parse(data.tokenizer)));
  if (tokenizer.vocabularySize !== shape.vocabulary)
    throw new ConfigError(
      `${origin} is broken: its tokenizer has ${tokenizer.vocabularySize} tokens, its model ${shape.vocabulary}.`,
    );
  const parameters = parametersOf(shape);
  const gather = (prefix: string): Float32Array => {
    const values = new Float32Array(sizeOf(parameters));
    for (const { name, rows, columns, offset } of parameters) {
      const tensor = tensors[prefix + name];
      const [height, width, ...more] = tensor?.shape ?? [];
      const isRight = height === rows && width === columns && more.length === 0;
      if (!isRight || !(tensor?.data instanceof Float32Array))
        throw new ConfigError(
          `${origin} is broken: ${prefix}${name} should have ${rows} × ${columns} numbers.`,
        );
      values.set(tensor.data, offset);
    }
    if (!values.every(Number.isFinite))
      throw new ConfigError(
        `${origin} is of no use: some of its numbers are not finite. Go back to an earlier checkpoint.`,
      );
    return values;
  };
  const weights = gather("");
  if (!Object.keys(tensors).some((name) => /^(?:first|second)\./u.test(name))) {
    const [first, second] = [new Float32Array(weights.length), new Float32Array(weights.length)];
    return { shape, tokenizer, state: { weights, first, second, steps: 0 } };
  }
  const [first, second] = [gather("first."), gather("second.")];
  return { shape, tokenizer, state: { weights, first, second, steps: data.steps } };
}

/** Says of which file it is that something is wrong. */
function named<Result>(origin: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${origin} cannot be read as a checkpoint: ${problem}`, [], {
      cause: error,
    });
  }
}

/** The shape of a model for a tokenizer. */
export function shapeFor(tokenizer: Tokenizer, sizes: Omit<Shape, "vocabulary">): Shape {
  return checkShape({ ...sizes, vocabulary: tokenizer.vocabularySize });
}
