import { ConfigError } from "@envs/core";
import { readSafetensors, writeSafetensors } from "@envs/tiny-model/engine";
import * as z from "zod";

import { type Projection, projections } from "../model/architecture.ts";
import type { Adapter, AdapterPair, AdapterSettings } from "./adapter.ts";

/** An adapter in the format of PEFT: the content of `adapter_config.json` and the bytes of `adapter_model.safetensors`. */
export interface PeftAdapter {
  readonly config: unknown;
  readonly tensors: Uint8Array;
}

const configSchema = z.looseObject({
  peft_type: z.literal("LORA"),
  r: z.int().min(1),
  lora_alpha: z.number(),
  target_modules: z.array(z.enum(projections)).min(1),
  bias: z.literal("none").default("none"),
  use_dora: z.literal(false).optional(),
  use_rslora: z.literal(false).optional(),
});

/** Copies the adapter into PEFT's format. `baseModel` is the model's name or folder, from which PEFT loads it. */
export function writePeft(adapter: Adapter, baseModel?: string): PeftAdapter {
  const { rank, alpha, targets } = adapter.settings;
  const tensors = adapter.pairs.flatMap((pair) => {
    const { inputs, outputs } = pair;
    const { a, b } = adapter.read(pair);
    const name = nameOf(pair);
    return [
      [`${name}.lora_A.weight`, { shape: [rank, inputs], data: transposed(a, inputs, rank) }],
      [`${name}.lora_B.weight`, { shape: [outputs, rank], data: transposed(b, rank, outputs) }],
    ] as const;
  });
  return {
    config: {
      peft_type: "LORA",
      task_type: "CAUSAL_LM",
      base_model_name_or_path: baseModel ?? null,
      inference_mode: true,
      r: rank,
      lora_alpha: alpha,
      lora_dropout: 0,
      target_modules: targets,
      bias: "none",
      fan_in_fan_out: false,
    },
    tensors: writeSafetensors(Object.fromEntries(tensors), { format: "pt" }),
  };
}

/** The size of an adapter of PEFT. Throws a `ConfigError` if it is of another kind. */
export function readPeftSettings(config: unknown): AdapterSettings {
  const { data, error } = configSchema.safeParse(config);
  if (data === undefined)
    throw new ConfigError(
      "This adapter_config.json does not describe an adapter that can be trained here:",
      error.issues.map(({ path, message }) => ({ path: path.map(String), message })),
    );
  const named = new Set<Projection>(data.target_modules);
  return {
    rank: data.r,
    alpha: data.lora_alpha,
    targets: projections.filter((projection) => named.has(projection)),
  };
}

/** Copies the numbers of PEFT's `adapter_model.safetensors` into an adapter of the same size. */
export function readPeft(adapter: Adapter, bytes: Uint8Array): void {
  const { tensors } = readSafetensors(bytes);
  const { rank } = adapter.settings;
  const read = (name: string, rows: number, columns: number): Float32Array => {
    const tensor = tensors[name];
    if (tensor === undefined || !(tensor.data instanceof Float32Array))
      throw new ConfigError(`The adapter has no tensor ${name} of floating-point numbers.`);
    if (tensor.shape.join() !== [rows, columns].join())
      throw new ConfigError(
        `The adapter's tensor ${name} has the shape [${tensor.shape.join(", ")}], but the model needs [${rows}, ${columns}].`,
      );
    return transposed(tensor.data, rows, columns);
  };
  for (const pair of adapter.pairs) {
    const name = nameOf(pair);
    adapter.write(pair, {
      a: read(`${name}.lora_A.weight`, rank, pair.inputs),
      b: read(`${name}.lora_B.weight`, pair.outputs, rank),
    });
  }
}

function nameOf({ layer, projection }: AdapterPair): string {
  const part = ["gate_proj", "up_proj", "down_proj"].includes(projection) ? "mlp" : "self_attn";
  return `base_model.model.model.layers.${layer}.${part}.${projection}`;
}

function transposed(values: Float32Array, rows: number, columns: number): Float32Array {
  const out = new Float32Array(values.length);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1)
      out[column * rows + row] = values[row * columns + column]!;
  return out;
}
