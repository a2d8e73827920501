import { random } from "@envs/core";

import { LoraModel } from "../src/lora-model.ts";
import {
  type Architecture,
  projections,
  readArchitecture,
  sizeOf,
} from "../src/model/architecture.ts";
import type { ReferenceModel } from "./reference.ts";

const smallConfig = {
  model_type: "llama",
  vocab_size: 37,
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 8,
  intermediate_size: 24,
  max_position_embeddings: 64,
  rms_norm_eps: 1e-5,
  rope_theta: 1000,
  tie_word_embeddings: true,
};

export const rank = 8;
export const alpha = 12;

/** The files of a model with random weights. */
export function smallFiles(changes: Readonly<Record<string, unknown>> = {}) {
  const config = { ...smallConfig, ...changes };
  const tensors = [...randomTensors(readArchitecture(config))].map(([name, rows]) => {
    const columns = rows[0]!.length;
    const shape = rows.length === 1 ? [columns] : [rows.length, columns];
    return [name, { shape, data: Float32Array.from(rows.flat()) }] as const;
  });
  return { config, tensors: Object.fromEntries(tensors) };
}

/** A model with random weights and a random adapter, in memory and as a reference. */
export function smallModel(changes: Readonly<Record<string, unknown>> = {}): {
  readonly model: LoraModel;
  readonly reference: (adapter: ArrayLike<number>) => ReferenceModel;
} {
  const { config, tensors: files } = smallFiles(changes);
  const architecture = readArchitecture(config);
  const tensors = randomTensors(architecture);
  const model = LoraModel.load(
    { config, tensors: (name) => files[name] },
    { adapter: { rank, alpha, targets: projections } },
  );
  model.adapter.values.set(numbers("adapter", model.adapter.count, 0.3));
  const reference = (adapter: ArrayLike<number>): ReferenceModel => ({
    architecture,
    tensors,
    scale: alpha / rank,
    adapter: new Map(
      model.adapter.pairs.map(({ layer, projection, inputs, outputs, a, b }) => {
        const values = (address: number, count: number): number[] => {
          const start = (address - model.adapter.address) / 4;
          return Array.from({ length: count }, (_, at) => adapter[start + at]!);
        };
        return [
          `${layer}.${projection}`,
          {
            a: rowsOf(values(a, inputs * rank), rank),
            b: rowsOf(values(b, rank * outputs), outputs),
          },
        ];
      }),
    ),
  });
  return { model, reference };
}

function randomTensors(architecture: Architecture): Map<string, number[][]> {
  const { vocabulary, width, layers, isTied, hasBias } = architecture;
  const tensors = new Map<string, number[][]>();
  const put = (name: string, rows: number, columns: number, spread: number, middle = 0): void => {
    const values = numbers(name, rows * columns, spread).map((value) =>
      Math.fround(middle + value),
    );
    tensors.set(name, rowsOf(values, columns));
  };
  put("model.embed_tokens.weight", vocabulary, width, 1);
  if (!isTied) put("lm_head.weight", vocabulary, width, 0.5);
  put("model.norm.weight", 1, width, 0.5, 1);
  for (let layer = 0; layer < layers; layer += 1) {
    const prefix = `model.layers.${layer}`;
    put(`${prefix}.input_layernorm.weight`, 1, width, 0.5, 1);
    put(`${prefix}.post_attention_layernorm.weight`, 1, width, 0.5, 1);
    for (const projection of projections) {
      const { inputs, outputs } = sizeOf(architecture, projection);
      const isAttention = ["q_proj", "k_proj", "v_proj", "o_proj"].includes(projection);
      const name = `${prefix}.${isAttention ? "self_attn" : "mlp"}.${projection}`;
      put(`${name}.weight`, outputs, inputs, 0.5);
      if (hasBias && isAttention && projection !== "o_proj") put(`${name}.bias`, 1, outputs, 0.5);
    }
  }
  return tensors;
}

/** Single-precision numbers from −spread to spread. */
export function numbers(name: string, count: number, spread: number): number[] {
  const source = random("test", name);
  return Array.from({ length: count }, () => Math.fround(spread * (2 * source.next() - 1)));
}

function rowsOf(values: readonly number[], columns: number): number[][] {
  return Array.from({ length: values.length / columns }, (_, row) =>
    values.slice(row * columns, (row + 1) * columns),
  );
}
