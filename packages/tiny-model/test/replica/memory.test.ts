import { isConfigError } from "@envs/core/engine";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { AdamW } from "../../src/engine/adamw.ts";
import { Decoder } from "../../src/engine/decoder.ts";
import type { Shape } from "../../src/engine/shape.ts";
import { Transformer } from "../../src/engine/transformer.ts";
import { memoryOf, packCapacity, packTokens } from "../../src/replica/memory.ts";
import { smallEngine } from "../engine/small-engine.ts";
import { smallCheckpoint } from "../small-model.ts";
import { startSmall } from "../start-small.ts";

const shapes: fc.Arbitrary<Shape> = fc.record({
  vocabulary: fc.integer({ min: 21, max: 300 }),
  width: fc.constantFrom(16, 48),
  layers: fc.integer({ min: 1, max: 3 }),
  heads: fc.constantFrom(1, 2),
  hidden: fc.constantFrom(8, 64),
  context: fc.constantFrom(5, 64, 700),
});

test("the estimate is the memory of a model that samples and trains", () => {
  fc.assert(
    fc.property(shapes, fc.constantFrom(1, 40, 600), (shape, slots) => {
      const engine = smallEngine("simd", shape);
      const decoder = new Decoder(engine, { slots, capacity: Math.max(slots, packTokens) });
      const transformer = new Transformer(engine, packCapacity(shape));
      const adam = new AdamW(engine.kernels, engine.arena, engine.weights);
      expect([decoder.slots, adam.steps, transformer]).toHaveLength(3);
      const { byteLength } = engine.kernels.memory.buffer;
      // Memory grows by pages, the first page has constants, and each allocation is aligned to 64 bytes.
      const slack = 3 * 65_536 + 64 * (60 + 15 * shape.layers);
      expect(byteLength - memoryOf(shape, slots)).toBeLessThan(slack);
      expect(byteLength).toBeGreaterThanOrEqual(memoryOf(shape, slots));
    }),
    { numRuns: 15 },
  );
});

describe("a model that exceeds WebAssembly memory", () => {
  test("is rejected before anything is allocated", async () => {
    const checkpoint = smallCheckpoint(8192);
    const starting = startSmall({ slots: 4096 }, checkpoint);
    await expect(starting).rejects.toSatisfy(isConfigError);
    await expect(starting).rejects.toThrow(
      /^The model needs 9\.\d GiB per thread, 8\.\d GiB of it to cache 4096 conversations, but WebAssembly can address only 4\.0 GiB\. Use fewer slots/,
    );
  });

  test("fits with fewer slots", () => {
    const { shape } = smallCheckpoint(8192);
    expect(memoryOf(shape, 4096)).toBeGreaterThan(2 ** 32);
    expect(memoryOf(shape, 512)).toBeLessThan(2 ** 32);
  });

  test.each([0, 0.5, Number.NaN])("rejects %s slots", async (slots) => {
    await expect(startSmall({ slots })).rejects.toThrow(/option slots is .*at least 1/);
  });
});
