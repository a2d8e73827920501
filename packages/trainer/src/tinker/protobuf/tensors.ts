import { ServiceError } from "../service-error.ts";
import type { BatchedTensor } from "./tinker_pb.ts";

/** The SDK's `DType`. */
export const dtypes = { float32: 1, int64: 2, int32: 3, bfloat16: 4 } as const;

/** A type of numbers in messages. All are little-endian. */
interface NumberFormat {
  readonly size: number;
  readonly read: (view: DataView, offset: number) => number;
  readonly write: (view: DataView, offset: number, value: number) => void;
}

const float32: NumberFormat = {
  size: 4,
  read: (view, offset) => view.getFloat32(offset, true),
  write: (view, offset, value) => view.setFloat32(offset, value, true),
};
const int64: NumberFormat = {
  size: 8,
  read: (view, offset) => Number(view.getBigInt64(offset, true)),
  write: (view, offset, value) => view.setBigInt64(offset, BigInt(value), true),
};
const int32: NumberFormat = {
  size: 4,
  read: (view, offset) => view.getInt32(offset, true),
  write: (view, offset, value) => view.setInt32(offset, value, true),
};
/** The upper half of a float32. Only services send it; requests contain float32. */
const bfloat16: NumberFormat = {
  size: 2,
  read: (view, offset) => {
    const whole = new DataView(new ArrayBuffer(4));
    whole.setUint16(2, view.getUint16(offset, true), true);
    return whole.getFloat32(0, true);
  },
  write: (view, offset, value) => {
    const whole = new DataView(new ArrayBuffer(4));
    whole.setFloat32(0, value, true);
    view.setUint16(offset, whole.getUint16(2, true), true);
  },
};
const formats = { float32, int64, int32, bfloat16 };

export function writeNumbers(
  dtype: keyof typeof dtypes,
  values: readonly number[],
): Uint8Array<ArrayBuffer> {
  const { size, write } = formats[dtype];
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) write(view, index * size, value);
  return bytes;
}

/** Throws if the bytes are not a whole number of values. */
export function readNumbers(dtype: keyof typeof dtypes, bytes: Uint8Array): number[] {
  const { size, read } = formats[dtype];
  if (bytes.length % size !== 0)
    throw malformed(`${bytes.length} bytes are not a whole number of ${dtype} values`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / size }, (_, index) => read(view, index * size));
}

/** Splits the tensors of a batch at their offsets, which count bytes. */
export function splitTensors({ data, offsets, dtype }: BatchedTensor): number[][] {
  const name = Object.entries(dtypes).find(([, number]) => number === dtype)?.[0];
  if (name === undefined) throw malformed(`a tensor has the unknown dtype ${dtype}`);
  const bounds = readNumbers("int64", offsets);
  if (bounds.length === 0 && data.length === 0) return [];
  if (bounds[0] !== 0 || bounds.at(-1) !== data.length)
    throw malformed(
      `the offsets ${bounds[0] ?? "none"} to ${bounds.at(-1) ?? "none"} do not cover the ${data.length} bytes of a tensor`,
    );
  return bounds.slice(1).map((end, index) => {
    const start = bounds[index]!;
    if (end < start) throw malformed(`the offset ${end} follows ${start}`);
    return readNumbers(name as keyof typeof dtypes, data.subarray(start, end));
  });
}

function malformed(problem: string): ServiceError {
  return new ServiceError(
    `The service sent a malformed tensor: ${problem}. Its version may not fit this client's; update both.`,
    { isFatal: true },
  );
}
