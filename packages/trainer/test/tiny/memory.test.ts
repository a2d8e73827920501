import { isConfigError } from "@envs/core/engine";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { AdamW } from "../../src/engine/adam.ts";
import { Decoder } from "../../src/engine/decoder.ts";
import type { Shape } from "../../src/engine/shape.ts";
import { Transformer } from "../../src/engine/transformer.ts";
import { memoryOf, packTokens } from "../../src/tiny/memory.ts";
import { smallModel } from "../engine/small-model.ts";
import { small } from "./running.ts";
import { smallCheckpoint } from "./small.ts";

const shapes: fc.Arbitrary<Shape> = fc.record({
  vocabulary: fc.integer({ min: 21, max: 300 }),
  width: fc.constantFrom(16, 48),
  layers: fc.integer({ min: 1, max: 3 }),
  heads: fc.constantFrom(1, 2),
  hidden: fc.constantFrom(8, 64),
  context: fc.constantFrom(5, 64, 700),
});

test("the estimate is what a model takes that samples and learns", () => {
  fc.assert(
    fc.property(shapes, fc.constantFrom(1, 40, 600), (shape, slots) => {
      const model = smallModel("simd", shape);
      const decoder = new Decoder(model, { slots, capacity: Math.max(slots, packTokens) });
      const transformer = new Transformer(model, Math.max(packTokens, shape.context));
      const adam = new AdamW(model);
      expect([decoder.slots, adam.steps, transformer]).toHaveLength(3);
      const { byteLength } = model.kernels.memory.buffer;
      // Memory comes in pages, the first of them for constants; each part begins at a multiple of 64 bytes.
      const slack = 3 * 65_536 + 64 * (60 + 15 * shape.layers);
      expect(byteLength - memoryOf(shape, slots)).toBeLessThan(slack);
      expect(byteLength).toBeGreaterThanOrEqual(memoryOf(shape, slots));
    }),
    { numRuns: 15 },
  );
});

describe("a model that WebAssembly has no room for", () => {
  test("is refused before anything is allocated, with what takes the room", async () => {
    const checkpoint = smallCheckpoint(8192);
    const starting = small({ slots: 4096 }, checkpoint);
    await expect(starting).rejects.toSatisfy(isConfigError);
    await expect(starting).rejects.toThrow(
      /^The model needs 9\.\d GiB on each thread, 8\.\d GiB of them for the 4096 conversations that a thread remembers; WebAssembly has 4\.0 GiB\. Take fewer slots/,
    );
  });

  test("fits with fewer conversations on each thread", () => {
    const { shape } = smallCheckpoint(8192);
    expect(memoryOf(shape, 4096)).toBeGreaterThan(2 ** 32);
    expect(memoryOf(shape, 512)).toBeLessThan(2 ** 32);
  });

  test.each([0, 0.5, Number.NaN])("%s conversations are refused", async (slots) => {
    await expect(small({ slots })).rejects.toThrow(/remembers 1 conversation or more/);
  });
});
