import { ConfigError } from "@envs/core";

import { elementTypeOf, type TensorData } from "./element-types.ts";
import { longestHeader, metadataKey, prefixBytes, readHeader } from "./safetensors-header.ts";

/** Numbers in rows: the last dimension varies fastest. An empty shape is a single number. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** What a safetensors file holds. */
export interface Safetensors {
  readonly tensors: Readonly<Record<string, Tensor>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Writes tensors in the safetensors format: the length of the header (8 bytes, little-endian), the header (JSON), the data.
 * Equal contents give equal bytes, in whatever order they are passed.
 */
export function writeSafetensors(
  tensors: Readonly<Record<string, Tensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  // Wide elements first: then every tensor starts at a multiple of its element's size.
  const ordered = Object.entries(tensors).toSorted(
    ([a, { data }], [b, { data: other }]) =>
      other.BYTES_PER_ELEMENT - data.BYTES_PER_ELEMENT || (a < b ? -1 : 1),
  );
  const header = new Map<string, unknown>();
  if (Object.keys(metadata).length > 0) header.set(metadataKey, sortedTexts(metadata));
  let dataBytes = 0;
  for (const [name, { shape, data }] of ordered) {
    checkTensor(name, { shape, data });
    const end = dataBytes + data.byteLength;
    header.set(name, { dtype: elementTypeOf(data), shape, data_offsets: [dataBytes, end] });
    dataBytes = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries(header)));
  const headerBytes = Math.ceil(text.length / 8) * 8;
  if (headerBytes > longestHeader) {
    throw new ConfigError(
      `The header of the safetensors file would be ${headerBytes} bytes long; the limit is ${longestHeader}. Keep large texts elsewhere than in the metadata.`,
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

/** Reads a safetensors file; the tensors are copies. F16 and BF16 become Float32Array. */
export function readSafetensors(bytes: Uint8Array): Safetensors {
  const { places, metadata } = readHeader(bytes);
  const tensors = places.map(({ name, shape, elements, begin, end }): [string, Tensor] => [
    name,
    // Not `bytes.slice`: that of Node's Buffer copies nothing, and typed arrays need an aligned start.
    { shape, data: elements.read(new Uint8Array(bytes.subarray(begin, end))) },
  ]);
  return { tensors: Object.fromEntries(tensors), metadata };
}

function checkTensor(name: string, { shape, data }: Tensor): void {
  if (name === metadataKey || !name.isWellFormed())
    throw new ConfigError(
      `A tensor cannot be named ${JSON.stringify(name)}. Give it another name.`,
    );
  const size = shape.reduce((product, length) => product * length, 1);
  if (size !== data.length || !shape.every((length) => Number.isInteger(length) && length >= 0)) {
    throw new ConfigError(
      `Tensor "${name}" has ${data.length} numbers, but the shape [${shape.join(", ")}]. Pass the shape that its data have.`,
    );
  }
}

function sortedTexts(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, text] of entries) {
    if (typeof text !== "string" || !text.isWellFormed() || !name.isWellFormed())
      throw new ConfigError(`Metadata ${JSON.stringify(name)} is no text. Write it as JSON first.`);
  }
  return Object.fromEntries(entries);
}
