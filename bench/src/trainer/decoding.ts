import type { Shape } from "@envs/tiny-model";
import { init } from "@jax-js/jax";

import type { Figure } from "../figure.ts";
import { speedup, rate, rounds } from "../rounds.ts";
import { createDecoder } from "./engine.ts";
import { createJaxDecoder } from "./jax-decoding.ts";
import { cutGames, loadMaterial } from "./material.ts";

const roundCount = 7;
const slots = 256;
/** The measured positions: from the first (inclusive) to the second (exclusive). */
const [from, to] = [40, 64];

/** Compares decoding with jax-js: probabilities after each token of 256 conversations, without sampling. */
export async function decoding(): Promise<readonly Figure[]> {
  const { checkpoint, games } = await loadMaterial();
  await init("wasm");
  const texts = cutGames(games, { sequences: slots, length: to });
  const column = (position: number): Int32Array =>
    Int32Array.from(texts, ({ inputs }) => inputs[position]!);
  const columns = Array.from({ length: to }, (_, position) => column(position));
  const ours = createDecoder(checkpoint, slots);
  const jax = createJaxDecoder(checkpoint, { slots, capacity: to });

  for (const [position, ids] of columns.entries())
    assertSameModel(checkpoint.shape, ours(ids, position), await jax(ids, position));
  const measured = await rounds(roundCount, {
    ours: async () => {
      for (let position = from; position < to; position += 1) ours(columns[position]!, position);
    },
    jax: async () => {
      for (let position = from; position < to; position += 1)
        await jax(columns[position]!, position);
    },
  });
  const tokens = slots * (to - from);
  return [
    {
      name: `decoding, ${slots} conversations, tokens ${from} to ${to}: ours on one thread`,
      unit: "tokens/s",
      ...rate(tokens, measured.ours),
    },
    {
      name: "the same by jax-js, cache of 64 tokens",
      unit: "tokens/s",
      ...rate(tokens, measured.jax),
    },
    {
      name: "ours / jax-js",
      unit: "×",
      ...speedup(measured.ours, measured.jax),
      aim: { at: "least", value: 4 },
    },
  ];
}

/** Fails if the probabilities differ, because only equal computations have comparable speeds. Our rows are padded to a multiple of 8. */
function assertSameModel({ vocabulary }: Shape, ours: Float32Array, theirs: Float32Array): void {
  const columns = ours.length / slots;
  for (let row = 0; row < slots; row += 1)
    for (let id = 0; id < vocabulary; id += 1) {
      const [ourValue, theirValue] = [ours[row * columns + id]!, theirs[row * vocabulary + id]!];
      if (Math.abs(ourValue - theirValue) > 1e-3)
        throw new Error(
          `The models differ: token ${id} has the probability ${ourValue} in ours and ${theirValue} in jax-js.`,
        );
    }
}
