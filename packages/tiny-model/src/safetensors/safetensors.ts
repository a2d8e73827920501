import { ConfigError } from "@envs/core";

import { elementTypeOf, type TensorData } from "./element-types.ts";
import { maxHeaderLength, metadataKey, prefixBytes, readHeader } from "./header.ts";

/** Row-major: the last dimension varies fastest. An empty shape means a single number. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: TensorData;
}

export interface Safetensors {
  readonly tensors: Readonly<Record<string, Tensor>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Writes the safetensors format: the length of the header (8 bytes, little-endian), the header (JSON), the data. Equal
 * contents give equal bytes, independent of the order of the properties.
 */
export function writeSafetensors(
  tensors: Readonly<Record<string, Tensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  // Wider elements come first, so that every tensor is aligned to its element size.
  const ordered = Object.entries(tensors).toSorted(
    ([a, { data }], [b, { data: other }]) =>
      other.BYTES_PER_ELEMENT - data.BYTES_PER_ELEMENT || (a < b ? -1 : 1),
  );
  const header = new Map<string, unknown>();
  if (Object.keys(metadata).length > 0) header.set(metadataKey, sortedMetadata(metadata));
  let dataBytes = 0;
  for (const [name, { shape, data }] of ordered) {
    checkTensor(name, { shape, data });
    const end = dataBytes + data.byteLength;
    header.set(name, { dtype: elementTypeOf(data), shape, data_offsets: [dataBytes, end] });
    dataBytes = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries(header)));
  const headerBytes = Math.ceil(text.length / 8) * 8;
  if (headerBytes > maxHeaderLength) {
    throw new ConfigError(
      `The header of the safetensors file would have ${headerBytes} bytes; the limit is ${maxHeaderLength}. Do not store large texts in the metadata.`,
    );
  }
  const bytes = new Uint8Array(prefixBytes + headerBytes + dataBytes);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerBytes), true);
  bytes.fill(" ".charCodeAt(0), prefixBytes, prefixBytes + headerBytes);
  bytes.set(text, prefixBytes);
  let at = prefixBytes + headerBytes;
  for (const [, { data }] of ordered) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}

/** Copies the tensors of a safetensors file. F16 and BF16 become Float32Array. */
export function readSafetensors(bytes: Uint8Array): Safetensors {
  const { entries, metadata } = readHeader(bytes);
  const tensors = entries.map(({ name, shape, elements, begin, end }): [string, Tensor] => [
    name,
    // Not `bytes.slice`: Buffer.slice does not copy, and typed arrays need an aligned start.
    { shape, data: elements.read(new Uint8Array(bytes.subarray(begin, end))) },
  ]);
  return { tensors: Object.fromEntries(tensors), metadata };
}

function checkTensor(name: string, { shape, data }: Tensor): void {
  if (name === metadataKey || !name.isWellFormed())
    throw new ConfigError(`Invalid tensor name ${JSON.stringify(name)}. Rename the tensor.`);
  const size = shape.reduce((product, length) => product * length, 1);
  if (size !== data.length || !shape.every((length) => Number.isInteger(length) && length >= 0)) {
    throw new ConfigError(
      `Tensor "${name}" has ${data.length} numbers, which do not fit the shape [${shape.join(", ")}]. Pass the shape of its data.`,
    );
  }
}

function sortedMetadata(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, text] of entries) {
    if (typeof text !== "string" || !text.isWellFormed() || !name.isWellFormed())
      throw new ConfigError(
        `Metadata ${JSON.stringify(name)} is not a string. Convert it with JSON.stringify() first.`,
      );
  }
  return Object.fromEntries(entries);
}
