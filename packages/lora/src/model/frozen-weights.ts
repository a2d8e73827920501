import { ConfigError } from "@envs/core";
import { type Arena, type Kernels, padded } from "@envs/tiny-model/engine";

import { type Architecture, type Projection, sizeOf } from "./architecture.ts";

/** Reads a tensor by its name in transformers; `undefined` if the model does not have it. */
export type TensorSource = (
  name: string,
) => { readonly shape: readonly number[]; readonly data: Float32Array } | undefined;

/**
 * A matrix of `rows` inputs and `columns` outputs, in panels of 16 columns, one after another. A product with few rows reads it
 * from start to end; rows of all columns would lie on as many pages of memory.
 */
export interface Dense {
  readonly rows: number;
  readonly columns: number;
  /** Its address. */
  readonly weight: number;
}

/** The addresses of a layer's weights. Projections of the same input are one matrix. */
export interface LayerWeights {
  readonly gain1: number;
  readonly qkv: Dense;
  readonly bias: number | undefined;
  readonly out: Dense;
  readonly gain2: number;
  readonly gateUp: Dense;
  readonly down: Dense;
}

/** The addresses of a model's weights, which do not change. */
export interface FrozenWeights {
  /** Rows of `width` numbers for each token. */
  readonly embedding: number;
  readonly layers: readonly LayerWeights[];
  readonly gain: number;
  /** The columns beyond the vocabulary are 0. `natural` is the transpose: rows of `width` numbers for each token. */
  readonly head: Dense & { readonly natural: number };
}

const panelColumns = 16;

/** The first column, the width and the address of each panel. */
export function* panelsOf({ rows, columns, weight }: Dense) {
  for (let column = 0; column < columns; column += panelColumns)
    yield {
      column,
      width: Math.min(panelColumns, columns - column),
      at: weight + column * rows * 4,
    };
}

/** Rows of a matrix that are transposed at once. */
const rowsAtOnce = 4096;
/** Counts of columns are multiples of it, and so are those of a panel. */
const outputsAtOnce = 8;

/** Copies the weights into the memory of the kernels. Throws a `ConfigError` if one is missing or has another shape. */
export function loadWeights(
  { kernels, arena }: { readonly kernels: Kernels; readonly arena: Arena },
  architecture: Architecture,
  source: TensorSource,
): FrozenWeights {
  const { vocabulary, width, layers, heads, pairs, size, hidden, isTied, hasBias } = architecture;
  const staging = arena.allocate(rowsAtOnce * Math.max(width, hidden));

  const read = (name: string, ...shape: readonly number[]): Float32Array => {
    const tensor = source(name);
    if (tensor === undefined)
      throw new ConfigError(`The model has no tensor ${name}. Use a complete checkpoint.`);
    if (tensor.shape.join() !== shape.join())
      throw new ConfigError(
        `The tensor ${name} has the shape [${tensor.shape.join(", ")}], but config.json needs [${shape.join(", ")}].`,
      );
    return tensor.data;
  };
  const vector = (name: string, length: number): number => {
    const address = arena.allocate(length);
    arena.floats(address, length).set(read(name, length));
    return address;
  };
  /** Writes the transpose of [outputs × inputs] to columns of `to`. */
  const transpose = (data: Float32Array, to: Dense, column: number): void => {
    const outputs = data.length / to.rows;
    for (let first = 0; first < outputs; first += rowsAtOnce) {
      const part = data.subarray(first * to.rows, (first + rowsAtOnce) * to.rows);
      arena.floats(staging, part.length).set(part);
      const count = part.length / to.rows;
      for (let output = 0; output < count; output += outputsAtOnce) {
        const within = (column + first + output) % panelColumns;
        const panel = column + first + output - within;
        kernels.transpose(
          Math.min(outputsAtOnce, count - output),
          to.rows,
          staging + output * to.rows * 4,
          to.rows * 4,
          to.weight + (panel * to.rows + within) * 4,
          Math.min(panelColumns, to.columns - panel) * 4,
        );
      }
    }
  };
  const dense = (rows: number, columns: number): Dense => ({
    rows,
    columns,
    weight: arena.allocate(rows * columns),
  });
  const joined = (prefix: string, names: readonly Projection[]): Dense => {
    const sizes = names.map((name) => sizeOf(architecture, name));
    const { inputs } = sizes[0]!;
    const matrix = dense(
      inputs,
      sizes.reduce((sum, { outputs }) => sum + outputs, 0),
    );
    let column = 0;
    for (const [index, name] of names.entries()) {
      const { outputs } = sizes[index]!;
      transpose(read(`${prefix}.${name}.weight`, outputs, inputs), matrix, column);
      column += outputs;
    }
    return matrix;
  };
  const biasOf = (prefix: string): number => {
    const columns = (heads + 2 * pairs) * size;
    const address = arena.allocate(columns);
    let column = 0;
    for (const name of ["q_proj", "k_proj", "v_proj"] as const) {
      const { outputs } = sizeOf(architecture, name);
      arena.floats(address + column * 4, outputs).set(read(`${prefix}.${name}.bias`, outputs));
      column += outputs;
    }
    return address;
  };

  const rowsOfTokens = (data: Float32Array): number => {
    const address = arena.allocate(data.length);
    arena.floats(address, data.length).set(data);
    return address;
  };
  const table = read("model.embed_tokens.weight", vocabulary, width);
  const embedding = rowsOfTokens(table);
  const head = dense(width, padded(vocabulary));
  const headTable = isTied ? table : read("lm_head.weight", vocabulary, width);
  transpose(headTable, head, 0);
  return {
    embedding,
    head: { ...head, natural: isTied ? embedding : rowsOfTokens(headTable) },
    layers: Array.from({ length: layers }, (_, index) => {
      const layer = `model.layers.${index}`;
      return {
        gain1: vector(`${layer}.input_layernorm.weight`, width),
        qkv: joined(`${layer}.self_attn`, ["q_proj", "k_proj", "v_proj"]),
        bias: hasBias ? biasOf(`${layer}.self_attn`) : undefined,
        out: joined(`${layer}.self_attn`, ["o_proj"]),
        gain2: vector(`${layer}.post_attention_layernorm.weight`, width),
        gateUp: joined(`${layer}.mlp`, ["gate_proj", "up_proj"]),
        down: joined(`${layer}.mlp`, ["down_proj"]),
      };
    }),
    gain: vector("model.norm.weight", width),
  };
}
