import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import * as z from "zod";

import { checkShape, parametersOf, type Shape, sizeOf } from "./engine/shape.ts";
import { initialWeights } from "./engine/weights.ts";
import type { ModelState } from "./replica/replica.ts";
import { readSafetensors, type Tensor, writeSafetensors } from "./safetensors/safetensors.ts";
import { tokenizerFromJSON } from "./tokenizer/tokenizer-json.ts";
import type { Tokenizer } from "./tokenizer/tokenizer.ts";

/** A model that does not run: its shape, its tokenizer, its weights and the state of its optimizer. */
export interface Checkpoint {
  readonly shape: Shape;
  readonly tokenizer: Tokenizer;
  readonly state: ModelState;
}

/** The shape of a model for a tokenizer. */
export function shapeFor(tokenizer: Tokenizer, sizes: Omit<Shape, "vocabulary">): Shape {
  return checkShape({ ...sizes, vocabulary: tokenizer.vocabularySize });
}

/** A model with random weights. */
export function untrained(shape: Shape, tokenizer: Tokenizer, seed: number): Checkpoint {
  return { shape, tokenizer, state: withoutMoments(initialWeights(shape, seed)) };
}

/** The same weights with a new optimizer. */
export function resetOptimizer(checkpoint: Checkpoint): Checkpoint {
  return { ...checkpoint, state: withoutMoments(checkpoint.state.weights) };
}

function withoutMoments(weights: Float32Array): ModelState {
  const [first, second] = [new Float32Array(weights.length), new Float32Array(weights.length)];
  return { weights, first, second, steps: 0 };
}

const metadataSchema = z.object({
  format: z.literal("envs-tiny-1"),
  shape: z.string(),
  tokenizer: z.string(),
  steps: z.coerce.number().int().min(0),
});

/**
 * Writes one safetensors file: each matrix under its name, the optimizer's moments as `first.…` and `second.…`, and
 * shape, tokenizer and step count in the metadata. Published models leave the optimizer out.
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

/** Reads a checkpoint; `origin` names it in errors. A file without an optimizer gets a new one. */
export function readCheckpoint(bytes: Uint8Array, origin: string): Checkpoint {
  const { tensors, metadata } = withOrigin(origin, () => readSafetensors(bytes));
  const { success, data } = metadataSchema.safeParse(metadata);
  if (!success)
    throw new ConfigError(
      `${origin} is a safetensors file but not a tiny model: its metadata lacks the format envs-tiny-1. Pass a checkpoint that envs train wrote.`,
    );
  const shape = withOrigin(origin, () => checkShape(JSON.parse(data.shape)));
  const tokenizer = withOrigin(origin, () => tokenizerFromJSON(JSON.parse(data.tokenizer)));
  if (tokenizer.vocabularySize !== shape.vocabulary)
    throw new ConfigError(
      `${origin} is corrupt: its tokenizer has ${tokenizer.vocabularySize} tokens, but its model has ${shape.vocabulary}.`,
    );
  const weights = joinMatrices(tensors, shape, { prefix: "", origin });
  const hasOptimizer = Object.keys(tensors).some((name) => /^(?:first|second)\./u.test(name));
  if (!hasOptimizer) return { shape, tokenizer, state: withoutMoments(weights) };
  const [first, second] = ["first.", "second."].map((prefix) =>
    joinMatrices(tensors, shape, { prefix, origin }),
  );
  return {
    shape,
    tokenizer,
    state: { weights, first: first!, second: second!, steps: data.steps },
  };
}

function joinMatrices(
  tensors: Readonly<Record<string, Tensor>>,
  shape: Shape,
  { prefix, origin }: { prefix: string; origin: string },
): Float32Array {
  const parameters = parametersOf(shape);
  const values = new Float32Array(sizeOf(parameters));
  for (const { name, rows, columns, offset } of parameters) {
    const tensor = tensors[prefix + name];
    const [height, width, ...more] = tensor?.shape ?? [];
    const hasShape = height === rows && width === columns && more.length === 0;
    if (!hasShape || !(tensor?.data instanceof Float32Array))
      throw new ConfigError(
        `${origin} is corrupt: ${prefix}${name} must have ${rows} × ${columns} numbers.`,
      );
    values.set(tensor.data, offset);
  }
  if (!values.every(Number.isFinite))
    throw new ConfigError(
      `${origin} has numbers that are not finite. Use an earlier checkpoint instead.`,
    );
  return values;
}

/** Adds the origin to errors. */
function withOrigin<Result>(origin: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    const problem = messageOf(error);
    throw new ConfigError(`${origin} cannot be read as a checkpoint: ${problem}`, [], {
      cause: error,
    });
  }
}
