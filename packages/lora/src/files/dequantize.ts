import { ConfigError } from "@envs/core";

/** Writes the numbers of the block at `at` to `out`, from `to`. */
type ReadBlock = (view: DataView, at: number, out: Float32Array, to: number) => void;

interface ElementType {
  readonly name: string;
  /** The size of a block. */
  readonly bytes: number;
  readonly numbers: number;
  readonly read: ReadBlock;
}

/** Numbers in a block of llama.cpp's quantised types. */
const quantized = 32;

/** The types of tensors that can be read, by their number in the GGUF format. */
const elementTypes: ReadonlyMap<number, ElementType> = new Map(
  [
    { id: 0, name: "F32", bytes: 4, numbers: 1, read: readFloat32 },
    { id: 1, name: "F16", bytes: 2, numbers: 1, read: readFloat16 },
    { id: 2, name: "Q4_0", bytes: 18, numbers: quantized, read: readQ4_0 },
    { id: 3, name: "Q4_1", bytes: 20, numbers: quantized, read: readQ4_1 },
    { id: 8, name: "Q8_0", bytes: 34, numbers: quantized, read: readQ8_0 },
    { id: 30, name: "BF16", bytes: 2, numbers: 1, read: readBrainFloat },
  ].map(({ id, ...type }) => [id, type]),
);

/** The number of bytes of `count` numbers. Throws a `ConfigError` for a type that cannot be read. */
export function bytesOf(type: number, count: number, tensor: string): number {
  const { bytes, numbers } = elementType(type, tensor);
  return (count / numbers) * bytes;
}

/** Converts the bytes of a tensor in a GGUF file to single precision. */
export function dequantize(type: number, bytes: Uint8Array, tensor: string): Float32Array {
  const { bytes: size, numbers, read } = elementType(type, tensor);
  const blocks = bytes.byteLength / size;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = new Float32Array(blocks * numbers);
  for (let block = 0; block < blocks; block += 1) read(view, block * size, out, block * numbers);
  return out;
}

function elementType(type: number, tensor: string): ElementType {
  const found = elementTypes.get(type);
  if (found !== undefined) return found;
  const names = [...elementTypes.values()].map(({ name }) => name).join(", ");
  throw new ConfigError(
    `The tensor ${tensor} of the GGUF file has the type number ${type}. Use a file with the types ${names}.`,
  );
}

function readFloat32(view: DataView, at: number, out: Float32Array, to: number): void {
  out[to] = view.getFloat32(at, true);
}

function readFloat16(view: DataView, at: number, out: Float32Array, to: number): void {
  out[to] = half(view, at);
}

/** A bfloat16 is the upper half of a float32. */
function readBrainFloat(view: DataView, at: number, out: Float32Array, to: number): void {
  bits.setUint32(0, view.getUint16(at, true) << 16);
  out[to] = bits.getFloat32(0);
}

/** A scale, and 32 numbers from −8 to 7. */
function readQ4_0(view: DataView, at: number, out: Float32Array, to: number): void {
  const scale = half(view, at);
  readNibbles(view, at + 2, out, to);
  for (let index = to; index < to + quantized; index += 1) out[index] = scale * (out[index]! - 8);
}

/** A scale, a least value, and 32 numbers from 0 to 15. */
function readQ4_1(view: DataView, at: number, out: Float32Array, to: number): void {
  const [scale, least] = [half(view, at), half(view, at + 2)];
  readNibbles(view, at + 4, out, to);
  for (let index = to; index < to + quantized; index += 1) out[index] = scale * out[index]! + least;
}

/** A scale, and 32 numbers from −128 to 127. */
function readQ8_0(view: DataView, at: number, out: Float32Array, to: number): void {
  const scale = half(view, at);
  for (let index = 0; index < quantized; index += 1)
    out[to + index] = scale * view.getInt8(at + 2 + index);
}

/** The lower halves of 16 bytes are the first 16 numbers, the upper halves the others. */
function readNibbles(view: DataView, at: number, out: Float32Array, to: number): void {
  for (let index = 0; index < quantized / 2; index += 1) {
    const byte = view.getUint8(at + index);
    out[to + index] = byte & 15;
    out[to + quantized / 2 + index] = byte >> 4;
  }
}

const bits = new DataView(new ArrayBuffer(4));

/** Reads an IEEE 754 binary16: 1 sign bit, 5 exponent bits, 10 fraction bits. */
function half(view: DataView, at: number): number {
  const value = view.getUint16(at, true);
  const sign = value >> 15 === 0 ? 1 : -1;
  const exponent = (value >> 10) & 31;
  const fraction = value & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
