import { ConfigError } from "@envs/core";
import { elementTypes, half } from "@envs/tiny-model/engine";

/** Numbers in a block of llama.cpp's quantised types. */
const blockSize = 32;

/** Writes the numbers of the block at `at` to `out`, from `to`. */
type ReadBlock = (view: DataView, at: number, out: Float32Array, to: number) => void;

/** The quantised types that can be read, by their number in the GGUF format. */
const quantized: ReadonlyMap<
  number,
  { readonly name: string; readonly bytes: number; readonly read: ReadBlock }
> = new Map([
  [2, { name: "Q4_0", bytes: 18, read: readQ4_0 }],
  [3, { name: "Q4_1", bytes: 20, read: readQ4_1 }],
  [8, { name: "Q8_0", bytes: 34, read: readQ8_0 }],
]);

/** The types of single numbers, which safetensors files have too. */
const plain: ReadonlyMap<number, string> = new Map([
  [0, "F32"],
  [1, "F16"],
  [30, "BF16"],
]);

/** The number of bytes of `count` numbers. Throws a `ConfigError` for a type that cannot be read. */
export function bytesOf(type: number, count: number, tensor: string): number {
  const blocks = quantized.get(type);
  if (blocks !== undefined) return (count / blockSize) * blocks.bytes;
  return count * plainType(type, tensor).bytes;
}

/** Converts the bytes of a tensor in a GGUF file to single precision. */
export function dequantize(type: number, bytes: Uint8Array, tensor: string): Float32Array {
  const blocks = quantized.get(type);
  if (blocks === undefined)
    return Float32Array.from(plainType(type, tensor).read(new Uint8Array(bytes)), Number);
  const count = bytes.byteLength / blocks.bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = new Float32Array(count * blockSize);
  for (let block = 0; block < count; block += 1)
    blocks.read(view, block * blocks.bytes, out, block * blockSize);
  return out;
}

function plainType(type: number, tensor: string) {
  const found = elementTypes.get(plain.get(type) ?? "");
  if (found !== undefined) return found;
  const names = [...plain.values(), ...[...quantized.values()].map(({ name }) => name)].join(", ");
  throw new ConfigError(
    `The tensor ${tensor} of the GGUF file has the type number ${type}. Use a file with the types ${names}.`,
  );
}

/** A scale, and 32 numbers from −8 to 7. */
function readQ4_0(view: DataView, at: number, out: Float32Array, to: number): void {
  const scale = halfAt(view, at);
  readNibbles(view, at + 2, out, to);
  for (let index = to; index < to + blockSize; index += 1) out[index] = scale * (out[index]! - 8);
}

/** A scale, a least value, and 32 numbers from 0 to 15. */
function readQ4_1(view: DataView, at: number, out: Float32Array, to: number): void {
  const [scale, least] = [halfAt(view, at), halfAt(view, at + 2)];
  readNibbles(view, at + 4, out, to);
  for (let index = to; index < to + blockSize; index += 1) out[index] = scale * out[index]! + least;
}

/** A scale, and 32 numbers from −128 to 127. */
function readQ8_0(view: DataView, at: number, out: Float32Array, to: number): void {
  const scale = halfAt(view, at);
  for (let index = 0; index < blockSize; index += 1)
    out[to + index] = scale * view.getInt8(at + 2 + index);
}

/** The lower halves of 16 bytes are the first 16 numbers, the upper halves the others. */
function readNibbles(view: DataView, at: number, out: Float32Array, to: number): void {
  for (let index = 0; index < blockSize / 2; index += 1) {
    const byte = view.getUint8(at + index);
    out[to + index] = byte & 15;
    out[to + blockSize / 2 + index] = byte >> 4;
  }
}

function halfAt(view: DataView, at: number): number {
  return half(view.getUint16(at, true));
}
