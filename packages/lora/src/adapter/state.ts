import { ConfigError } from "@envs/core";
import { type AdamW, readSafetensors, writeSafetensors } from "@envs/tiny-model/engine";
import * as z from "zod";

import type { Adapter } from "./adapter.ts";

/** What a saved adapter belongs to. */
export interface StateOwner {
  readonly adapter: Adapter;
  readonly optimizer: AdamW;
  /** The fingerprint of the frozen weights. */
  readonly base: string;
}

const metadataSchema = z.object({
  format: z.literal("envs-lora-1"),
  base: z.string(),
  settings: z.string(),
  steps: z.coerce.number().int().min(0),
});

/** Writes the adapter and its optimizer as one safetensors file, in the order of the kernels. */
export function writeState({ adapter, optimizer, base }: StateOwner): Uint8Array {
  const { first, second } = optimizer.moments;
  const shape = [adapter.count];
  return writeSafetensors(
    {
      adapter: { shape, data: adapter.values },
      first: { shape, data: first },
      second: { shape, data: second },
    },
    {
      format: "envs-lora-1",
      base,
      settings: JSON.stringify(adapter.settings),
      steps: String(optimizer.steps),
    },
  );
}

/** The numbers of the adapter in a file of {@link writeState}. Throws a `ConfigError` if it belongs to another model. */
export function readState({ adapter, base }: StateOwner, bytes: Uint8Array, origin: string) {
  const { tensors, metadata } = readSafetensors(bytes);
  const { data } = metadataSchema.safeParse(metadata);
  if (data === undefined)
    throw new ConfigError(
      `${origin} is a safetensors file, but no checkpoint of an adapter: its metadata lack the format envs-lora-1. Pass a checkpoint that envs train wrote.`,
    );
  const settings = JSON.stringify(adapter.settings);
  if (data.settings !== settings)
    throw new ConfigError(
      `${origin} has an adapter of another size: ${data.settings} instead of ${settings}. Train with the same rank, alpha and targets.`,
    );
  if (data.base !== base)
    throw new ConfigError(
      `${origin} belongs to another base model, or to the same one with other rounding: its fingerprint is ${data.base}, that of this model ${base}. Load the model from the files that the adapter was trained on.`,
    );
  const numbers = (name: string): Float32Array => {
    const tensor = tensors[name]?.data;
    if (tensor instanceof Float32Array && tensor.length === adapter.count) return tensor;
    throw new ConfigError(`${origin} has no tensor ${name} of ${adapter.count} numbers.`);
  };
  return {
    adapter: numbers("adapter"),
    first: numbers("first"),
    second: numbers("second"),
    steps: data.steps,
  };
}
