import { TinyModel } from "@envs/tiny-model";
import { tinyBackend } from "@envs/trainer";

import type { Figure } from "../figure.ts";
import { median, rate, rounds } from "../rounds.ts";
import { createDecoder, products } from "./engine.ts";
import { cutGames, loadMaterial } from "./material.ts";
import { decodingOperations, trainingOperations } from "./operations.ts";

const roundCount = 9;
const [slots, from, to] = [256, 40, 64];
const aim = { at: "least", value: 50 } as const;

/** Measures which share of the matrix kernel's speed training and decoding reach on one thread. */
export async function peak(): Promise<readonly Figure[]> {
  const { checkpoint, games } = await loadMaterial();
  const { shape } = checkpoint;
  const texts = cutGames(games, { sequences: slots, length: to });
  const column = (position: number): Int32Array =>
    Int32Array.from(texts, ({ inputs }) => inputs[position]!);
  const columns = Array.from({ length: to }, (_, position) => column(position));
  const decode = createDecoder(checkpoint, slots);
  for (const [position, ids] of columns.entries()) decode(ids, position);
  const backend = tinyBackend(await TinyModel.start("peak", checkpoint));
  const dense = cutGames(games, { sequences: 64, length: 72 });
  const sparse = games.slice(0, 64);
  const train = async (data: typeof dense): Promise<void> =>
    void (await backend.forwardBackward(data, { name: "cross_entropy" }));

  const candidates = products();
  const works: Record<string, () => Promise<void>> = {
    ...Object.fromEntries(candidates.map((product) => [product.name, () => product.work()])),
    dense: () => train(dense),
    sparse: () => train(sparse),
    decode: async () => {
      for (let position = from; position < to; position += 1) decode(columns[position]!, position);
    },
  };
  const measured = await rounds(roundCount, works);

  const speeds = candidates.map(({ name, operations }) => ({
    name: `matrix products alone, fastest at ${name}`,
    ...rate(operations / 1e9, measured[name]!),
  }));
  const fastest = speeds.reduce((a, b) => (b.value > a.value ? b : a));
  const bests = Array.from({ length: roundCount }, (_, round) =>
    Math.max(...candidates.map(({ name, operations }) => operations / measured[name]![round]!)),
  );
  const share = (name: string, operations: number, seconds: readonly number[]): Figure[] => {
    const speed = rate(operations / 1e9, seconds);
    const shares = seconds.map((time, round) => operations / time / bests[round]!);
    return [
      { name, unit: "GFLOP/s", ...speed },
      {
        name: "its share of the matrix products' speed",
        unit: "%",
        value: (100 * speed.value) / fastest.value,
        median: 100 * median(shares),
        aim,
      },
    ];
  };
  let decoded = 0;
  for (let position = from; position < to; position += 1)
    decoded += slots * decodingOperations(shape, position + 1);
  return [
    { unit: "GFLOP/s", ...fastest },
    ...share("training, all tokens", trainingOperations(shape, dense), measured["dense"]!),
    ...share("training, games", trainingOperations(shape, sparse), measured["sparse"]!),
    ...share("decoding, 256 conversations", decoded, measured["decode"]!),
  ];
}
