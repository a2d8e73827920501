import type { Architecture, Projection } from "../src/model/architecture.ts";
import { sizeOf } from "../src/model/architecture.ts";

type Matrix = readonly (readonly number[])[];
type Row = readonly number[];

/** The weights of a model by their names in transformers, as rows of numbers. */
export type Tensors = ReadonlyMap<string, Matrix>;

/** What an adapter adds: `${layer}.${projection}` → A [inputs × rank] and B [rank × outputs]. */
export type ReferenceAdapter = ReadonlyMap<string, { readonly a: Matrix; readonly b: Matrix }>;

export interface ReferenceModel {
  readonly architecture: Architecture;
  readonly tensors: Tensors;
  readonly adapter: ReferenceAdapter;
  readonly scale: number;
}

/** Log-probabilities of all tokens at each position of one sequence, in double precision. */
export function referenceLogits(model: ReferenceModel, ids: readonly number[]): number[][] {
  const { architecture, tensors } = model;
  const { layers, epsilon, isTied } = architecture;
  const vector = (name: string): Row => tensors.get(name)![0]!;
  let x = ids.map((id) => [...tensors.get("model.embed_tokens.weight")![id]!]);
  for (let layer = 0; layer < layers; layer += 1) {
    const prefix = `model.layers.${layer}`;
    const normal1 = x.map((row) => norm(row, vector(`${prefix}.input_layernorm.weight`), epsilon));
    const mixed = attend(model, layer, normal1);
    x = add(x, project(model, layer, "o_proj", mixed));
    const normal2 = x.map((row) =>
      norm(row, vector(`${prefix}.post_attention_layernorm.weight`), epsilon),
    );
    const gate = project(model, layer, "gate_proj", normal2);
    const up = project(model, layer, "up_proj", normal2);
    const hidden = gate.map((row, at) =>
      row.map((g, column) => (g / (1 + Math.exp(-g))) * up[at]![column]!),
    );
    x = add(x, project(model, layer, "down_proj", hidden));
  }
  const head = tensors.get(isTied ? "model.embed_tokens.weight" : "lm_head.weight")!;
  return x.map((row) => {
    const last = norm(row, vector("model.norm.weight"), epsilon);
    return head.map((weights) => dot(last, weights));
  });
}

/** The log-probability of `target` and the entropy, in nats. */
export function distributionOf(
  logits: readonly number[],
  target: number,
  temperature: number,
): { logprob: number; entropy: number } {
  const scaled = logits.map((logit) => logit / temperature);
  const top = Math.max(...scaled);
  const total = scaled.reduce((sum, logit) => sum + Math.exp(logit - top), 0);
  const logs = scaled.map((logit) => logit - top - Math.log(total));
  return {
    logprob: logs[target]!,
    entropy: -logs.reduce((sum, log) => sum + Math.exp(log) * log, 0),
  };
}

function attend(model: ReferenceModel, layer: number, rows: Matrix): number[][] {
  const { heads, pairs, size, rotaryBase } = model.architecture;
  const q = project(model, layer, "q_proj", rows);
  const k = project(model, layer, "k_proj", rows);
  const v = project(model, layer, "v_proj", rows);
  const part = (row: Row, head: number): Row => row.slice(head * size, (head + 1) * size);
  return rows.map((_, position) =>
    Array.from({ length: heads }, (_, head) => {
      const pair = Math.floor(head / (heads / pairs));
      const query = rotate(part(q[position]!, head), position, rotaryBase);
      const scores = k
        .slice(0, position + 1)
        .map((key, at) => dot(query, rotate(part(key, pair), at, rotaryBase)) / Math.sqrt(size));
      const top = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - top));
      const total = powers.reduce((sum, power) => sum + power, 0);
      return Array.from({ length: size }, (_, column) =>
        powers.reduce((sum, power, at) => sum + (power / total) * part(v[at]!, pair)[column]!, 0),
      );
    }).flat(),
  );
}

function rotate(row: Row, position: number, base: number): number[] {
  const half = row.length / 2;
  return row.map((value, at) => {
    const angle = position / base ** ((at % half) / half);
    const other = row[(at + half) % row.length]!;
    return value * Math.cos(angle) + (at < half ? -other : other) * Math.sin(angle);
  });
}

/** The projection of rows with its bias, and what the adapter adds. */
function project(
  model: ReferenceModel,
  layer: number,
  projection: Projection,
  rows: Matrix,
): number[][] {
  const { architecture, tensors, adapter, scale } = model;
  const part = ["gate_proj", "up_proj", "down_proj"].includes(projection) ? "mlp" : "self_attn";
  const name = `model.layers.${layer}.${part}.${projection}`;
  const weight = tensors.get(`${name}.weight`)!;
  const bias = tensors.get(`${name}.bias`)?.[0];
  const pair = adapter.get(`${layer}.${projection}`);
  const { outputs } = sizeOf(architecture, projection);
  return rows.map((row) => {
    const t = pair && multiply(row, pair.a);
    const added = pair && t && multiply(t, pair.b);
    return Array.from(
      { length: outputs },
      (_, at) => dot(row, weight[at]!) + (bias?.[at] ?? 0) + scale * (added?.[at] ?? 0),
    );
  });
}

function multiply(row: Row, matrix: Matrix): number[] {
  return matrix[0]!.map((_, column) =>
    row.reduce((sum, value, at) => sum + value * matrix[at]![column]!, 0),
  );
}

function norm(row: Row, gain: Row, epsilon: number): number[] {
  const scale = 1 / Math.sqrt(dot(row, row) / row.length + epsilon);
  return row.map((value, at) => value * scale * gain[at]!);
}

function add(left: Matrix, right: Matrix): number[][] {
  return left.map((row, at) => row.map((value, column) => value + right[at]![column]!));
}

function dot(left: Row, right: Row): number {
  return left.reduce((sum, value, at) => sum + value * right[at]!, 0);
}
