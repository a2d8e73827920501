export type TensorData = Float32Array | Int32Array | BigInt64Array;

export interface ElementType {
  readonly bytes: number;
  /** `bytes` is little-endian and spans its whole buffer. */
  read(bytes: Uint8Array<ArrayBuffer>): TensorData;
}

/** Supported element types by their name in safetensors files. Half-precision numbers become float32. */
export const elementTypes: ReadonlyMap<string, ElementType> = new Map<string, ElementType>([
  ["F32", { bytes: 4, read: ({ buffer }) => new Float32Array(buffer) }],
  ["I32", { bytes: 4, read: ({ buffer }) => new Int32Array(buffer) }],
  ["I64", { bytes: 8, read: ({ buffer }) => new BigInt64Array(buffer) }],
  ["F16", { bytes: 2, read: ({ buffer }) => Float32Array.from(new Uint16Array(buffer), half) }],
  ["BF16", { bytes: 2, read: ({ buffer }) => brainFloats(new Uint16Array(buffer)) }],
]);

/** The name of an array's element type in safetensors files. */
export function elementTypeOf(data: TensorData): string {
  if (data instanceof Float32Array) return "F32";
  return data instanceof Int32Array ? "I32" : "I64";
}

/** Converts IEEE 754 binary16: 1 sign bit, 5 exponent bits, 10 fraction bits. */
export function half(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** A bfloat16 is the upper half of a float32. */
function brainFloats(bits: Uint16Array): Float32Array {
  return new Float32Array(Uint32Array.from(bits, (upper) => upper << 16).buffer);
}
