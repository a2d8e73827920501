import { ConfigError } from "@envs/core";
import * as z from "zod";

import { openGguf } from "./gguf.ts";

/** Token types of llama.cpp: control tokens, and those that a user added. */
const [control, userDefined] = [3, 4];

const metadataSchema = z.object({
  "tokenizer.ggml.model": z.literal("gpt2", "only byte-level BPE (gpt2) is supported"),
  "tokenizer.ggml.pre": z.string().default("default"),
  "tokenizer.ggml.tokens": z.array(z.string()),
  "tokenizer.ggml.token_type": z.array(z.number()),
  "tokenizer.ggml.merges": z.array(z.string()),
  "tokenizer.ggml.bos_token_id": z.number().optional(),
  "tokenizer.ggml.eos_token_id": z.number().optional(),
  "tokenizer.chat_template": z.string().optional(),
});

const bytes = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true };
const split = (pattern: string): readonly object[] => [
  { type: "Split", pattern: { Regex: pattern }, behavior: "Isolated", invert: false },
  { ...bytes, use_regex: false },
];
const words = (digits: string): string =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

/** How texts are split before BPE, by llama.cpp's names for it. */
const splitters: Readonly<Record<string, readonly object[]>> = {
  default: [{ ...bytes, use_regex: true }],
  "gpt-2": [{ ...bytes, use_regex: true }],
  smollm: [
    { type: "Digits", individual_digits: true },
    { ...bytes, use_regex: true },
  ],
  "llama-bpe": split(words(String.raw`\p{N}{1,3}`)),
  qwen2: split(words(String.raw`\p{N}`)),
};

/** The tokenizer and the chat template of a model, in the formats of Hugging Face. */
export interface TokenizerFiles {
  /** The content of `tokenizer.json`. */
  readonly tokenizer: object;
  /** The content of `tokenizer_config.json`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Tokens that end a reply. */
  readonly stopIds: readonly number[];
}

/** Reads the tokenizer of a GGUF file. Throws a `ConfigError` if it is of another kind than byte-level BPE. */
export async function readGgufTokenizer(path: string): Promise<TokenizerFiles> {
  const { metadata } = await openGguf(path);
  const { data, error } = metadataSchema.safeParse(metadata);
  const pre = data?.["tokenizer.ggml.pre"] ?? "";
  const splitter = Object.hasOwn(splitters, pre) ? splitters[pre] : undefined;
  const advice =
    "Pass --tokenizer with a folder that contains tokenizer.json and tokenizer_config.json.";
  if (data === undefined)
    throw new ConfigError(
      `The tokenizer in ${path} is not supported. ${advice}`,
      error.issues.map(({ path: at, message }) => ({ path: at.map(String), message })),
    );
  if (splitter === undefined)
    throw new ConfigError(
      `The tokenizer in ${path} splits texts by ${JSON.stringify(pre)}. Supported: ${Object.keys(splitters).join(", ")}. ${advice}`,
    );
  const tokens = data["tokenizer.ggml.tokens"];
  const types = data["tokenizer.ggml.token_type"];
  const added = tokens.flatMap((content, id) =>
    types[id] === control || types[id] === userDefined
      ? [{ id, content, special: types[id] === control, ...plain }]
      : [],
  );
  const textOf = (id: number | undefined): string | undefined =>
    id === undefined ? undefined : tokens[id];
  const end = data["tokenizer.ggml.eos_token_id"];
  return {
    tokenizer: {
      added_tokens: added,
      normalizer: pre === "qwen2" ? { type: "NFC" } : null,
      pre_tokenizer: { type: "Sequence", pretokenizers: splitter },
      post_processor: null,
      decoder: { ...bytes, use_regex: true },
      model: {
        type: "BPE",
        ignore_merges: pre === "llama-bpe",
        vocab: Object.fromEntries(tokens.map((text, id) => [text, id])),
        merges: data["tokenizer.ggml.merges"],
      },
    },
    config: {
      chat_template: data["tokenizer.chat_template"],
      bos_token: textOf(data["tokenizer.ggml.bos_token_id"]),
      eos_token: textOf(end),
    },
    stopIds: end === undefined ? [] : [end],
  };
}

const plain = { normalized: false, lstrip: false, rstrip: false, single_word: false };
