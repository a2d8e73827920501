/**
 * A `tokenizer.json` in the format of Hugging Face, without merges: each of `tokens` is one text. The special tokens have the
 * ids from 0, the others follow.
 */
export function tokenizerJson(special: readonly string[], tokens: readonly string[]): object {
  return {
    added_tokens: special.map((content, id) => ({
      id,
      content,
      special: true,
      normalized: false,
      lstrip: false,
      rstrip: false,
      single_word: false,
    })),
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: "Fuse" },
    model: {
      type: "BPE",
      vocab: Object.fromEntries(tokens.map((text, index) => [text, special.length + index])),
      merges: [],
    },
  };
}
