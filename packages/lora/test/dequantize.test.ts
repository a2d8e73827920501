import { expect, test } from "vitest";

import { dequantize } from "../src/files/dequantize.ts";

/** 1.5 as an IEEE 754 binary16, and −0.25. */
const [scale, least] = [0x3e00, 0xb400];

function bytes(halves: readonly number[], rest: readonly number[]): Uint8Array {
  return Uint8Array.of(...halves.flatMap((half) => [half & 255, half >> 8]), ...rest);
}

const nibbles = Array.from({ length: 16 }, (_, index) => index | ((15 - index) << 4));
const numbers = [...nibbles.keys(), ...Array.from(nibbles.keys(), (index) => 15 - index)];

test("reads blocks of 32 numbers", () => {
  expect([...dequantize(2, bytes([scale], nibbles), "t")]).toEqual(
    numbers.map((value) => 1.5 * (value - 8)),
  );
  expect([...dequantize(3, bytes([scale, least], nibbles), "t")]).toEqual(
    numbers.map((value) => 1.5 * value - 0.25),
  );
  const signed = Array.from({ length: 32 }, (_, index) => (index * 8 + 130) & 255);
  expect([...dequantize(8, bytes([scale], signed), "t")]).toEqual(
    signed.map((value) => 1.5 * (value > 127 ? value - 256 : value)),
  );
});

test("reads half-precision and single-precision numbers", () => {
  expect([...dequantize(1, bytes([scale, least, 0x0001, 0xfc00], []), "t")]).toEqual([
    1.5,
    -0.25,
    2 ** -24,
    -Infinity,
  ]);
  expect([...dequantize(30, bytes([0x3fc0, 0xbe80], []), "t")]).toEqual([1.5, -0.25]);
  const single = new Uint8Array(Float32Array.of(0.1, -7).buffer);
  expect(dequantize(0, single, "t")).toEqual(Float32Array.of(0.1, -7));
});

test("rejects another type with the types that can be read", () => {
  expect(() => dequantize(14, new Uint8Array(210), "output.weight")).toThrow(
    "output.weight of the GGUF file has the type number 14. Use a file with the types F32, F16,",
  );
});
