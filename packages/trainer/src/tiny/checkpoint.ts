import { ConfigError } from "@envs/core";
import * as z from "zod";

import { readSafetensors, type Tensor, writeSafetensors } from "../checkpoint/safetensors.ts";
import { parametersOf, type Shape, sizeOf } from "../engine/shape.ts";
import { tokenizerFromJSON } from "../tokenizer/tokenizer-from-json.ts";
import type { Tokenizer } from "../tokenizer/tokenizer.ts";
import type { ReplicaState } from "./replica.ts";

/** A tiny model at rest: its size, its tokenizer, and all numbers that training changes. */
export interface Checkpoint {
  readonly shape: Shape;
  readonly tokenizer: Tokenizer;
  readonly state: ReplicaState;
}

const size = z.int().min(1);

/** What sizes a tiny model may have. */
export const shapeSchema: z.ZodType<Shape> = z
  .strictObject({
    vocabulary: size.max(65_536),
    width: size.max(4096).multipleOf(8),
    layers: size.max(64),
    heads: size.max(64),
    hidden: size.max(16_384).multipleOf(8),
    context: size.max(8192),
  })
  .refine(({ width, heads }) => width % heads === 0 && (width / heads) % 8 === 0, {
    path: ["heads"],
    error: "must cut the width into parts whose size is a multiple of 8",
  });

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
  const { tensors, metadata } = readSafetensors(bytes);
  const parsed = metadataSchema.safeParse(metadata);
  if (!parsed.success)
    throw new ConfigError(
      `${origin} is a safetensors file, but not of a tiny model: its metadata has no format envs-tiny-1. Give a checkpoint that envs train wrote.`,
    );
  const shape = shapeSchema.parse(JSON.parse(parsed.data.shape));
  const tokenizer = tokenizerFromJSON(JSON.parse(parsed.data.tokenizer));
  if (tokenizer.vocabularySize !== shape.vocabulary)
    throw new ConfigError(
      `${origin} is broken: its tokenizer has ${tokenizer.vocabularySize} tokens, its model ${shape.vocabulary}.`,
    );
  const count = sizeOf(parametersOf(shape));
  const gather = (prefix: string): Float32Array => {
    const values = new Float32Array(count);
    for (const { name, rows, columns, offset } of parametersOf(shape)) {
      const tensor = tensors[prefix + name];
      if (tensor === undefined && prefix !== "") continue;
      if (!(tensor?.data instanceof Float32Array) || tensor.data.length !== rows * columns)
        throw new ConfigError(
          `${origin} is broken: ${prefix}${name} should have ${rows} × ${columns} numbers.`,
        );
      values.set(tensor.data, offset);
    }
    return values;
  };
  const state = {
    weights: gather(""),
    first: gather("first."),
    second: gather("second."),
    steps: parsed.data.steps,
  };
  return { shape, tokenizer, state };
}

/** The shape of a model for a tokenizer. */
export function shapeFor(tokenizer: Tokenizer, sizes: Omit<Shape, "vocabulary">): Shape {
  return shapeSchema.parse({ ...sizes, vocabulary: tokenizer.vocabularySize });
}
