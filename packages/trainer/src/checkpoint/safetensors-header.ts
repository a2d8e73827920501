import { ConfigError } from "@envs/core";
import * as z from "zod";

import { type ElementType, elementTypes } from "./element-types.ts";
import { repeatedKey } from "./repeated-key.ts";

/** Bytes before the header, which say how long it is. */
export const prefixBytes = 8;

/** The format's own limit. */
export const longestHeader = 100_000_000;

export const metadataKey = "__metadata__";

/** Where a tensor lies: from `begin` up to `end`, counted from the first byte of the file. */
export interface TensorPlace {
  readonly name: string;
  readonly shape: readonly number[];
  readonly elements: ElementType;
  readonly begin: number;
  readonly end: number;
}

export interface Header {
  readonly places: readonly TensorPlace[];
  readonly metadata: Readonly<Record<string, string>>;
}

const size = z.int().min(0);
const entrySchema = z.strictObject({
  dtype: z.string(),
  shape: z.array(size),
  data_offsets: z.tuple([size, size]),
});

/** Reads the header of a safetensors file. The tensors must fill the rest of the file, each byte once. */
export function readHeader(bytes: Uint8Array): Header {
  const { text, dataStart } = headerText(bytes);
  let metadata: Record<string, string> = {};
  const places: TensorPlace[] = [];
  for (const [name, value] of Object.entries(parse(text))) {
    if (name === metadataKey) metadata = readMetadata(value);
    else places.push(readPlace(name, value, dataStart));
  }
  places.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let reached = dataStart;
  for (const { name, begin, end } of places) {
    if (begin < reached) throw broken(`tensor "${name}" overlaps another`);
    if (begin > reached)
      throw broken(`no tensor owns the ${begin - reached} bytes before "${name}"`);
    reached = end;
  }
  if (reached > bytes.length)
    throw broken(`it ends ${reached - bytes.length} bytes before its last tensor does`);
  if (reached < bytes.length)
    throw broken(`${bytes.length - reached} bytes follow the last tensor`);
  return { places, metadata };
}

function headerText(bytes: Uint8Array): { text: string; dataStart: number } {
  if (bytes.length < prefixBytes)
    throw broken(
      `it has ${bytes.length} bytes, fewer than the ${prefixBytes} of the header's length`,
    );
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  if (length > longestHeader)
    throw broken(`its header would be ${length} bytes long; the limit is ${longestHeader}`);
  const dataStart = prefixBytes + Number(length);
  if (dataStart > bytes.length) throw broken(`it ends inside its header of ${length} bytes`);
  const header = new Uint8Array(bytes.subarray(prefixBytes, dataStart));
  if (header[0] !== "{".charCodeAt(0)) throw broken("its header does not begin with {");
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(header), dataStart };
  } catch {
    throw broken("its header is not UTF-8");
  }
}

function parse(text: string): object {
  let header: object;
  try {
    header = JSON.parse(text) as object;
  } catch {
    throw broken("its header is not JSON");
  }
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw broken(`its header has "${repeated}" twice`);
  return header;
}

function readMetadata(value: unknown): Record<string, string> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : undefined;
  if (entries === undefined || Array.isArray(value))
    throw broken(`its ${metadataKey} is no object`);
  const isText = (entry: [string, unknown]): entry is [string, string] =>
    typeof entry[1] === "string";
  const other = entries.find((entry) => !isText(entry));
  if (other !== undefined) throw broken(`"${other[0]}" in its ${metadataKey} is no text`);
  return Object.fromEntries(entries.filter(isText));
}

function readPlace(name: string, value: unknown, dataStart: number): TensorPlace {
  const { data, error } = entrySchema.safeParse(value);
  if (data === undefined) {
    const { path, message } = error.issues[0]!;
    throw broken(`"${[name, ...path].join(".")}" in its header is wrong (${message})`);
  }
  const elements = elementTypes.get(data.dtype);
  if (elements === undefined) {
    throw new ConfigError(
      `Tensor "${name}" of the safetensors file is of type ${data.dtype}. Only ${[...elementTypes.keys()].join(", ")} can be read: convert it.`,
    );
  }
  const [begin, end] = data.data_offsets;
  const bytes = data.shape.reduce((product, length) => product * length, elements.bytes);
  if (end - begin !== bytes) {
    throw broken(
      `tensor "${name}" of shape [${data.shape.join(", ")}] and type ${data.dtype} takes ${bytes} bytes, not those from ${begin} to ${end}`,
    );
  }
  return { name, shape: data.shape, elements, begin: dataStart + begin, end: dataStart + end };
}

function broken(what: string): ConfigError {
  return new ConfigError(
    `The safetensors file is broken: ${what}. Take another checkpoint, or fetch this one again.`,
  );
}
