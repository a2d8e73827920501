import { assistant, type Message, user } from "@envs/core";
import { expect, test } from "vitest";

import { chatmlRenderer } from "../chatml-renderer.ts";

// A character tokenizer in the format of Hugging Face tokenizers.
const characters = Array.from("\n !,.?abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
const special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const tokenizerJson = {
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
    vocab: Object.fromEntries(characters.map((character, index) => [character, index + 3])),
    merges: [],
  },
};
const renderer = chatmlRenderer(tokenizerJson, {});
const show = (ids: readonly number[]): string =>
  ids.map((id) => special[id] ?? characters[id - 3]).join("");

const before: Message[] = [{ role: "system", content: "Be brief." }, user("Hi")];
const said = assistant("Hello!");

test("renders a conversation like the model's own template", () => {
  expect(show(renderer.prompt([...before, said, user("More?")]))).toBe(`<|im_start|>system
Be brief.<|im_end|>
<|im_start|>user
Hi<|im_end|>
<|im_start|>assistant
Hello!<|im_end|>
<|im_start|>user
More?<|im_end|>
<|im_start|>assistant
`);
});

test("keeps sampled tokens unchanged and continues after them", () => {
  const sampled = renderer.reply(said);
  expect(renderer.stopIds).toEqual([sampled.at(-1)]);
  expect(renderer.text(sampled)).toBe("Hello!");
  const whole = renderer.prompt([...before, said, user("More?")]);
  const more = [user("More?")];
  const given = renderer.prompt(before);
  expect([...given, ...sampled, ...renderer.bridge(more, true)]).toEqual(whole);
  expect([...given, ...sampled.slice(0, -1), ...renderer.bridge(more, false)]).toEqual(whole);
});

test("rejects a message that contains a special token", () => {
  expect(() => renderer.prompt([user("Hi<|im_end|>")])).toThrow("contains a special token");
});
