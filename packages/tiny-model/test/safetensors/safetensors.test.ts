import { isConfigError } from "@envs/core/engine";
import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";

import {
  readSafetensors,
  type Tensor,
  writeSafetensors,
} from "../../src/safetensors/safetensors.ts";

const shape = fc.array(fc.nat({ max: 4 }), { maxLength: 3 });
const size = (lengths: readonly number[]): number => lengths.reduce((a, b) => a * b, 1);

const tensor: fc.Arbitrary<Tensor> = shape.chain((lengths) => {
  const exactly = { minLength: size(lengths), maxLength: size(lengths) };
  return fc
    .oneof(fc.float32Array(exactly), fc.int32Array(exactly), fc.bigInt64Array(exactly))
    .map((data) => ({ shape: lengths, data }));
});
const name = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("__proto__", "0", "1", "constructor", "layers.0.weight", ""),
);
const file = fc.record({
  tensors: fc
    .array(fc.tuple(name, tensor), { maxLength: 6 })
    .map((entries): Record<string, Tensor> => Object.fromEntries(entries)),
  metadata: fc
    .array(fc.tuple(name, fc.string({ unit: "grapheme" })), { maxLength: 4 })
    .map((entries): Record<string, string> => Object.fromEntries(entries)),
});

/** Builds a file from its header and its data. */
function fileOf(header: unknown, data: Uint8Array = new Uint8Array()): Uint8Array {
  const text = new TextEncoder().encode(
    typeof header === "string" ? header : JSON.stringify(header),
  );
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes;
}

const entry = (begin: number, end: number, lengths = [(end - begin) / 4]): object => ({
  dtype: "F32",
  shape: lengths,
  data_offsets: [begin, end],
});

test("tensors round-trip bit for bit, at any memory offset", () => {
  fc.assert(
    fc.property(file, fc.nat({ max: 9 }), ({ tensors, metadata }, offset) => {
      const bytes = writeSafetensors(tensors, metadata);
      const moved = new Uint8Array(bytes.length + offset);
      moved.set(bytes, offset);
      const read = readSafetensors(moved.subarray(offset));
      expect(read.metadata).toEqual(metadata);
      expect(Object.keys(read.tensors).toSorted()).toEqual(Object.keys(tensors).toSorted());
      for (const [key, { shape: lengths, data }] of Object.entries(tensors)) {
        const copy = read.tensors[key]!;
        expect(copy.shape).toEqual(lengths);
        expect(copy.data.constructor).toBe(data.constructor);
        expect(new Uint8Array(copy.data.buffer)).toEqual(new Uint8Array(data.buffer));
      }
    }),
  );
});

test("the bytes do not depend on the order of tensors and metadata", () => {
  fc.assert(
    fc.property(file, ({ tensors, metadata }) => {
      const reversed = (record: object): object =>
        Object.fromEntries(Object.entries(record).toReversed());
      expect(
        writeSafetensors(
          reversed(tensors) as Record<string, Tensor>,
          reversed(metadata) as Record<string, string>,
        ),
      ).toEqual(writeSafetensors(tensors, metadata));
    }),
  );
});

test("a file has the published layout", () => {
  const bytes = writeSafetensors(
    {
      weight: { shape: [1, 2], data: Float32Array.of(1, -2) },
      step: { shape: [], data: BigInt64Array.of(3n) },
    },
    { seed: "7" },
  );
  const headerBytes = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  expect(headerBytes % 8).toBe(0);
  expect(new TextDecoder().decode(bytes.subarray(8, 8 + headerBytes))).toMatchInlineSnapshot(
    `"{"__metadata__":{"seed":"7"},"step":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"weight":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]}}       "`,
  );
  expect([...bytes.subarray(8 + headerBytes)]).toEqual(
    [
      [3, 0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0x80, 0x3f],
      [0, 0, 0, 0xc0],
    ].flat(),
  );
});

test("a typed array that views a part of a buffer is written without the rest", () => {
  const memory = Float32Array.of(1, 2, 3, 4);
  const { tensors } = readSafetensors(
    writeSafetensors({ part: { shape: [2], data: memory.subarray(1, 3) } }),
  );
  expect(tensors["part"]!.data).toEqual(Float32Array.of(2, 3));
});

test("tensors do not share memory with the file", () => {
  const bytes = Buffer.from(writeSafetensors({ one: { shape: [], data: Float32Array.of(1) } }));
  const { tensors } = readSafetensors(bytes);
  bytes.fill(0);
  expect(tensors["one"]!.data).toEqual(Float32Array.of(1));
});

test("half-precision numbers become float32", () => {
  const bits = Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0xfc00, 0x8000, 0x3555);
  const data = new Uint8Array(bits.buffer);
  const read = (dtype: string): number[] =>
    Array.from(
      readSafetensors(fileOf({ a: { dtype, shape: [8], data_offsets: [0, 16] } }, data)).tensors[
        "a"
      ]!.data as Float32Array,
    );
  expect(read("F16")).toEqual([1, -2, 2 ** -24, 65504, Infinity, -Infinity, -0, 0.333251953125]);
  expect(read("BF16").slice(0, 2)).toEqual([0.0078125, -2]);
  const notNumbers = new Uint8Array(Uint16Array.of(0x7e00, 0xfc01).buffer);
  const nan = fileOf({ a: { dtype: "F16", shape: [2], data_offsets: [0, 4] } }, notNumbers);
  expect(readSafetensors(nan).tensors["a"]!.data).toEqual(Float32Array.of(Number.NaN, Number.NaN));
});

test("corrupt files are rejected with the reason", () => {
  const four = new Uint8Array(4);
  const long = new Uint8Array(16);
  new DataView(long.buffer).setBigUint64(0, 2n ** 63n, true);
  const cut = fileOf({}).subarray(0, 9);
  const errorOf = (bytes: Uint8Array): string => {
    try {
      readSafetensors(bytes);
    } catch (error) {
      if (isConfigError(error)) return error.message.replace(/ Use another.*$/u, "");
      throw error;
    }
    return "no error";
  };
  expect(
    [
      new Uint8Array(3),
      long,
      cut,
      fileOf(" {}"),
      fileOf("{"),
      fileOf("[]"),
      fileOf(`{"a":"\u0000`),
      new Uint8Array([3, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0xff, 0x7d]),
      fileOf(
        `{"a": ${JSON.stringify(entry(0, 4))}, "\\u0061": ${JSON.stringify(entry(0, 4))}}`,
        four,
      ),
      fileOf(`{"a": {"dtype": "F32", "dtype": "I32", "shape": [1], "data_offsets": [0, 4]}}`, four),
      fileOf(`{"__metadata__": {"a": "1", "a": "2"}}`),
      fileOf({ __metadata__: { a: 1 } }),
      fileOf({ __metadata__: [] }),
      fileOf({ a: 1 }),
      fileOf({ a: { ...entry(0, 4), shape: [-1] } }, four),
      fileOf({ a: { ...entry(0, 4), more: 1 } }, four),
      fileOf({ a: { ...entry(0, 4), dtype: "F64" } }, four),
      fileOf({ a: entry(0, 4, [2]) }, four),
      fileOf({ a: entry(4, 0, [1]) }, four),
      fileOf({ a: entry(0, 8) }, four),
      fileOf({ a: entry(0, 4), b: entry(0, 4) }, four),
      fileOf({ a: entry(4, 8) }, new Uint8Array(8)),
      fileOf({}, four),
    ].map(errorOf),
  ).toMatchInlineSnapshot(`
    [
      "The safetensors file is corrupt: it has 3 bytes, fewer than the 8 of the header's length.",
      "The safetensors file is corrupt: its header has 9223372036854775808 bytes, more than the limit of 100000000.",
      "The safetensors file is corrupt: it ends inside its header of 2 bytes.",
      "The safetensors file is corrupt: its header does not start with {.",
      "The safetensors file is corrupt: its header is not valid JSON.",
      "The safetensors file is corrupt: its header does not start with {.",
      "The safetensors file is corrupt: its header is not valid JSON.",
      "The safetensors file is corrupt: its header is not UTF-8.",
      "The safetensors file is corrupt: its header has "a" twice.",
      "The safetensors file is corrupt: its header has "dtype" twice.",
      "The safetensors file is corrupt: its header has "a" twice.",
      "The safetensors file is corrupt: "a" in its __metadata__ is not a string.",
      "The safetensors file is corrupt: its __metadata__ is not an object.",
      "The safetensors file is corrupt: "a" in its header is invalid (Invalid input: expected object, received number).",
      "The safetensors file is corrupt: "a.shape.0" in its header is invalid (Too small: expected number to be >=0).",
      "The safetensors file is corrupt: "a" in its header is invalid (Unrecognized key: "more").",
      "Tensor "a" of the safetensors file has the unsupported type F64. Convert it to one of F32, I32, I64, F16, BF16.",
      "The safetensors file is corrupt: tensor "a" of shape [2] and type F32 has 8 bytes, but its offsets are 0 to 4.",
      "The safetensors file is corrupt: tensor "a" of shape [1] and type F32 has 4 bytes, but its offsets are 4 to 0.",
      "The safetensors file is corrupt: it ends 4 bytes before its last tensor does.",
      "The safetensors file is corrupt: tensor "b" overlaps another.",
      "The safetensors file is corrupt: the 4 bytes before tensor "a" belong to no tensor.",
      "The safetensors file is corrupt: 4 bytes follow the last tensor.",
    ]
  `);
});

test("arbitrary bytes are read or rejected with a ConfigError", () => {
  const readOrReject = (bytes: Uint8Array): void => {
    try {
      readSafetensors(bytes);
    } catch (error) {
      expect(isConfigError(error)).toBe(true);
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), readOrReject), { numRuns: cases(300) });
  fc.assert(
    fc.property(fc.json(), fc.uint8Array({ maxLength: 16 }), (header, data) => {
      readOrReject(fileOf(header, data));
    }),
    { numRuns: cases(300) },
  );
  const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(file, changes, fc.nat(), ({ tensors, metadata }, edits, cutAt) => {
      const bytes = writeSafetensors(tensors, metadata);
      readOrReject(bytes.subarray(0, cutAt % bytes.length));
      for (const [at, value] of edits) bytes[at % bytes.length] = value;
      readOrReject(bytes);
    }),
    { numRuns: cases(1000) },
  );
});

test("invalid tensors and metadata are rejected when they are written", () => {
  const data = Float32Array.of(1, 2);
  expect(() => writeSafetensors({ a: { shape: [3], data } })).toThrowErrorMatchingInlineSnapshot(
    `[ConfigError: Tensor "a" has 2 numbers, which do not fit the shape [3]. Pass the shape of its data.]`,
  );
  expect(() => writeSafetensors({ a: { shape: [-1, -2], data } })).toThrow("the shape [-1, -2]");
  expect(() =>
    writeSafetensors({ __metadata__: { shape: [2], data } }),
  ).toThrowErrorMatchingInlineSnapshot(
    `[ConfigError: Invalid tensor name "__metadata__". Rename the tensor.]`,
  );
  expect(() => writeSafetensors({ "\uD800": { shape: [2], data } })).toThrow("Invalid tensor name");
  expect(() => writeSafetensors({}, { text: "\uD800" })).toThrowErrorMatchingInlineSnapshot(
    `[ConfigError: Metadata "text" is not a string. Convert it with JSON.stringify() first.]`,
  );
});
