import { open } from "node:fs/promises";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { gguf, type GGUFTensorInfo } from "@huggingface/gguf";
import * as z from "zod";

import { bytesOf, dequantize } from "../files/dequantize.ts";
import type { ModelFiles } from "../lora-model.ts";

const size = z.coerce.number().int().min(1);

/** The keys of GGUF's metadata that describe the architecture, without the prefix of its name. */
const metadataSchema = z.object({
  embedding_length: size,
  block_count: size,
  "attention.head_count": size,
  "attention.head_count_kv": size.optional(),
  "attention.key_length": size.optional(),
  feed_forward_length: size,
  context_length: size,
  "attention.layer_norm_rms_epsilon": z.number(),
  "rope.freq_base": z.number().optional(),
});

/** The names of a layer's tensors in GGUF files, by their names in transformers. */
const layerNames: Readonly<Record<string, string>> = {
  input_layernorm: "attn_norm",
  "self_attn.q_proj": "attn_q",
  "self_attn.k_proj": "attn_k",
  "self_attn.v_proj": "attn_v",
  "self_attn.o_proj": "attn_output",
  post_attention_layernorm: "ffn_norm",
  "mlp.gate_proj": "ffn_gate",
  "mlp.up_proj": "ffn_up",
  "mlp.down_proj": "ffn_down",
};

const modelNames: Readonly<Record<string, string>> = {
  "model.embed_tokens.weight": "token_embd.weight",
  "model.norm.weight": "output_norm.weight",
  "lm_head.weight": "output.weight",
};

/** Reads what a GGUF file says about itself and its tensors. */
export async function openGguf(path: string): ReturnType<typeof gguf> {
  return await gguf(path, { allowLocalFile: true }).catch((error: unknown) => {
    throw new ConfigError(`Cannot read ${path} as a GGUF file: ${messageOf(error)}`);
  });
}

/** Reads a model of the Llama family from a GGUF file. Quantised weights become single precision. */
export async function readGguf(path: string): Promise<ModelFiles> {
  const { metadata, tensorInfos, tensorDataOffset } = await openGguf(path);
  const name = String(metadata["general.architecture"]);
  const fields = Object.entries(metadata).map(([key, value]) => [
    key.replace(`${name}.`, ""),
    value,
  ]);
  const { data: sizes, error } = metadataSchema.safeParse(Object.fromEntries(fields));
  if (sizes === undefined)
    throw new ConfigError(
      `${path} does not describe a model of the Llama family:`,
      error.issues.map(({ path: at, message }) => ({ path: at.map(String), message })),
    );
  const infos = new Map(tensorInfos.map((info) => [info.name, info]));
  const heads = sizes["attention.head_count"];
  const pairs = sizes["attention.head_count_kv"] ?? heads;
  const vocabulary = Number(infos.get("token_embd.weight")?.shape[1] ?? 0);
  const tensors = await readTensors(path, tensorInfos, Number(tensorDataOffset));
  return {
    config: {
      model_type: name,
      vocab_size: vocabulary,
      hidden_size: sizes.embedding_length,
      num_hidden_layers: sizes.block_count,
      num_attention_heads: heads,
      num_key_value_heads: pairs,
      head_dim: sizes["attention.key_length"],
      intermediate_size: sizes.feed_forward_length,
      max_position_embeddings: sizes.context_length,
      rms_norm_eps: sizes["attention.layer_norm_rms_epsilon"],
      rope_theta: sizes["rope.freq_base"],
      tie_word_embeddings: !infos.has("output.weight"),
    },
    tensors: (wanted) => {
      const info = infos.get(nameOf(wanted) ?? "");
      if (info === undefined) return undefined;
      const shape = info.shape.map(Number).toReversed();
      const data = dequantize(info.dtype, tensors.get(info.name)!, info.name);
      // llama.cpp interleaves the two halves of each head of Llama models.
      const isRotated = name === "llama" && /\.attn_[qk]\.weight$/u.test(info.name);
      const rows = info.name.includes("attn_q") ? heads : pairs;
      return { shape, data: isRotated ? joinHalves(data, rows, shape[1]!) : data };
    },
  };
}

function nameOf(wanted: string): string | undefined {
  const [, layer, part = "", kind] =
    /^model\.layers\.(\d+)\.(.+)\.(weight|bias)$/u.exec(wanted) ?? [];
  if (layer === undefined) return modelNames[wanted];
  const name = layerNames[part];
  return name && `blk.${layer}.${name}.${kind}`;
}

/** The bytes of each tensor. */
async function readTensors(
  path: string,
  infos: readonly GGUFTensorInfo[],
  start: number,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const file = await open(path);
  try {
    const tensors = new Map<string, Uint8Array>();
    for (const { name, shape, dtype, offset } of infos) {
      const count = shape.reduce((product, length) => product * Number(length), 1);
      const bytes = new Uint8Array(bytesOf(dtype, count, name));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start + Number(offset));
      if (bytesRead < bytes.length)
        throw new ConfigError(`${path} ends inside the tensor ${name}. Download it again.`);
      tensors.set(name, bytes);
    }
    return tensors;
  } finally {
    await file.close();
  }
}

/** Rows 0, 1, 2, 3 … of a head become 0, 2, … and then 1, 3, …, as transformers has them. */
function joinHalves(data: Float32Array, heads: number, columns: number): Float32Array {
  const size = data.length / columns / heads;
  const out = new Float32Array(data.length);
  for (let row = 0; row < heads * size; row += 1) {
    const within = row % size;
    const to = row - within + (within % 2) * (size / 2) + Math.floor(within / 2);
    out.set(data.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return out;
}
