import { ConfigError } from "@envs/core";
import * as z from "zod";

import { type ElementType, elementTypes } from "./element-types.ts";

/** Number of bytes before the header; they encode its length. */
export const prefixBytes = 8;

/** The limit of the safetensors format, in bytes. */
export const maxHeaderLength = 100_000_000;

export const metadataKey = "__metadata__";

/** The bytes of a tensor are [`begin`, `end`) of the file. */
export interface TensorEntry {
  readonly name: string;
  readonly shape: readonly number[];
  readonly elements: ElementType;
  readonly begin: number;
  readonly end: number;
}

export interface Header {
  readonly entries: readonly TensorEntry[];
  readonly metadata: Readonly<Record<string, string>>;
}

const size = z.int().min(0);
const entrySchema = z.strictObject({
  dtype: z.string(),
  shape: z.array(size),
  data_offsets: z.tuple([size, size]),
});

/** Reads the header of a safetensors file. The tensors must cover the rest of the file without gaps or overlaps. */
export function readHeader(bytes: Uint8Array): Header {
  const { text, dataStart } = headerText(bytes);
  let metadata: Record<string, string> = {};
  const entries: TensorEntry[] = [];
  for (const [name, value] of Object.entries(parse(text))) {
    if (name === metadataKey) metadata = readMetadata(value);
    else entries.push(readEntry(name, value, dataStart));
  }
  entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let reached = dataStart;
  for (const { name, begin, end } of entries) {
    if (begin < reached) throw corrupt(`tensor "${name}" overlaps another`);
    if (begin > reached)
      throw corrupt(`the ${begin - reached} bytes before tensor "${name}" belong to no tensor`);
    reached = end;
  }
  if (reached > bytes.length)
    throw corrupt(`it ends ${reached - bytes.length} bytes before its last tensor does`);
  if (reached < bytes.length)
    throw corrupt(`${bytes.length - reached} bytes follow the last tensor`);
  return { entries, metadata };
}

function headerText(bytes: Uint8Array): { text: string; dataStart: number } {
  if (bytes.length < prefixBytes)
    throw corrupt(
      `it has ${bytes.length} bytes, fewer than the ${prefixBytes} of the header's length`,
    );
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  if (length > maxHeaderLength)
    throw corrupt(`its header has ${length} bytes, more than the limit of ${maxHeaderLength}`);
  const dataStart = prefixBytes + Number(length);
  if (dataStart > bytes.length) throw corrupt(`it ends inside its header of ${length} bytes`);
  const header = new Uint8Array(bytes.subarray(prefixBytes, dataStart));
  if (header[0] !== "{".charCodeAt(0)) throw corrupt("its header does not start with {");
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(header), dataStart };
  } catch {
    throw corrupt("its header is not UTF-8");
  }
}

function parse(text: string): object {
  let header: object;
  try {
    header = JSON.parse(text) as object;
  } catch {
    throw corrupt("its header is not valid JSON");
  }
  const duplicate = duplicateKey(text);
  if (duplicate !== undefined) throw corrupt(`its header has "${duplicate}" twice`);
  return header;
}

function readMetadata(value: unknown): Record<string, string> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : undefined;
  if (entries === undefined || Array.isArray(value))
    throw corrupt(`its ${metadataKey} is not an object`);
  const isString = (entry: [string, unknown]): entry is [string, string] =>
    typeof entry[1] === "string";
  const other = entries.find((entry) => !isString(entry));
  if (other !== undefined) throw corrupt(`"${other[0]}" in its ${metadataKey} is not a string`);
  return Object.fromEntries(entries.filter(isString));
}

function readEntry(name: string, value: unknown, dataStart: number): TensorEntry {
  const { data, error } = entrySchema.safeParse(value);
  if (data === undefined) {
    const { path, message } = error.issues[0]!;
    throw corrupt(`"${[name, ...path].join(".")}" in its header is invalid (${message})`);
  }
  const elements = elementTypes.get(data.dtype);
  if (elements === undefined) {
    throw new ConfigError(
      `Tensor "${name}" of the safetensors file has the unsupported type ${data.dtype}. Convert it to one of ${[...elementTypes.keys()].join(", ")}.`,
    );
  }
  const [begin, end] = data.data_offsets;
  const bytes = data.shape.reduce((product, length) => product * length, elements.bytes);
  if (end - begin !== bytes) {
    throw corrupt(
      `tensor "${name}" of shape [${data.shape.join(", ")}] and type ${data.dtype} has ${bytes} bytes, but its offsets are ${begin} to ${end}`,
    );
  }
  return { name, shape: data.shape, elements, begin: dataStart + begin, end: dataStart + end };
}

function corrupt(problem: string): ConfigError {
  return new ConfigError(
    `The safetensors file is corrupt: ${problem}. Use another checkpoint, or download this one again.`,
  );
}

/**
 * Finds the first key that occurs twice in one object of a valid JSON text. `JSON.parse` uses the last occurrence, other
 * readers the first, so they would read different tensors from the same file.
 */
function duplicateKey(json: string): string | undefined {
  const open: Set<string>[] = [];
  const colon = /\s*:/y;
  let at = 0;
  while (at < json.length) {
    const character = json[at]!;
    if (character !== '"') {
      if (character === "{" || character === "[") open.push(new Set());
      if (character === "}" || character === "]") open.pop();
      at += 1;
      continue;
    }
    const from = at;
    at = afterString(json, at);
    colon.lastIndex = at;
    if (!colon.test(json)) continue;
    const key: unknown = JSON.parse(json.slice(from, at));
    const keys = open.at(-1)!;
    if (keys.has(String(key))) return String(key);
    keys.add(String(key));
  }
  return undefined;
}

function afterString(json: string, quote: number): number {
  let at = quote + 1;
  while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}
