import { ConfigError } from "@envs/core";
import * as z from "zod";

const size = z.int().min(1);

/** The kernels process eight numbers at a time. */
const shapeSchema = z
  .strictObject({
    vocabulary: size.max(65_536),
    /** Width of the residual stream. */
    width: size.max(4096).multipleOf(8),
    layers: size.max(64),
    heads: size.max(64),
    /** Width of the hidden layer of each MLP. */
    hidden: size.max(16_384).multipleOf(8),
    /** Maximum length of a sequence, in tokens. */
    context: size.max(8192),
  })
  .refine(({ width, heads }) => width % heads === 0 && (width / heads) % 8 === 0, {
    path: ["heads"],
    error: "must divide the width into heads whose width is a multiple of 8",
  });

/** The size of a decoder-only transformer. */
export type Shape = Readonly<z.output<typeof shapeSchema>>;

/** Throws a `ConfigError` if a tiny model cannot have this shape. */
export function checkShape(shape: unknown): Shape {
  const { success, data, error } = shapeSchema.safeParse(shape);
  if (success) return data;
  throw new ConfigError(
    "A tiny model cannot have this shape:",
    error.issues.map(({ path, message }) => ({ path: path.map(String), message })),
  );
}

/** Added to mean squares before their root is taken. */
export const epsilon = 1e-5;

/** One matrix of a model; `offset` is the index of its first number among all parameters. */
export interface Parameter {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly offset: number;
}

/** Rounds up to a multiple of 8, which the kernels require of row lengths. */
export function padded(count: number): number {
  return (count + 7) & ~7;
}

/** All parameters of a model, in memory order. */
export function parametersOf(shape: Shape): readonly Parameter[] {
  const { vocabulary, width, layers, hidden } = shape;
  const matrices: [name: string, rows: number, columns: number][] = [
    ["embedding", vocabulary, width],
  ];
  for (let layer = 0; layer < layers; layer += 1)
    matrices.push(
      [`layers.${layer}.qkv`, width, 3 * width],
      [`layers.${layer}.out`, width, width],
      [`layers.${layer}.up`, width, hidden],
      [`layers.${layer}.down`, hidden, width],
    );
  matrices.push(["head", width, padded(vocabulary)]);
  let offset = 0;
  return matrices.map(([name, rows, columns]) => {
    const parameter = { name, rows, columns, offset };
    offset += rows * columns;
    return parameter;
  });
}

/** Total number of values. */
export function sizeOf(parameters: readonly Parameter[]): number {
  const last = parameters.at(-1);
  return last === undefined ? 0 : last.offset + last.rows * last.columns;
}
