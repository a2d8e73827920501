import type { Shape } from "@envs/tiny-model";
import { init } from "@jax-js/jax";

import type { Figure } from "../figure.ts";
import { gain, rate, rounds } from "../rounds.ts";
import { decoderOf } from "./engine.ts";
import { jaxDecoderOf } from "./jax-decoding.ts";
import { cut, material } from "./material.ts";

const times = 7;
const slots = 256;
/** Tokens that are read before the clock starts, and at the end of each round. */
const [from, to] = [40, 64];

/** Decoding with and without jax-js: what follows each of 256 conversations, a token at a time; nothing is drawn. */
export async function decoding(): Promise<readonly Figure[]> {
  const { checkpoint, games } = await material();
  await init("wasm");
  const texts = cut(games, { sequences: slots, length: to });
  const column = (position: number): Int32Array =>
    Int32Array.from(texts, ({ inputs }) => inputs[position]!);
  const columns = Array.from({ length: to }, (_, position) => column(position));
  const ours = decoderOf(checkpoint, slots);
  const jax = jaxDecoderOf(checkpoint, { slots, room: to });

  for (const [position, ids] of columns.entries())
    expectTheSame(checkpoint.shape, ours(ids, position), await jax(ids, position));
  const measured = await rounds(times, {
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
      ...gain(measured.ours, measured.jax),
      aim: { at: "least", value: 4 },
    },
  ];
}

/** Compares the results first: speeds are comparable only for the same computation. Our rows are padded to a multiple of 8. */
function expectTheSame({ vocabulary }: Shape, ours: Float32Array, theirs: Float32Array): void {
  const columns = ours.length / slots;
  for (let row = 0; row < slots; row += 1)
    for (let id = 0; id < vocabulary; id += 1) {
      const [mine, yours] = [ours[row * columns + id]!, theirs[row * vocabulary + id]!];
      if (Math.abs(mine - yours) > 1e-3)
        throw new Error(
          `The two models are not the same: ours gives token ${id} the probability ${mine}, that of jax-js ${yours}.`,
        );
    }
}
