import { lastComma, parseBody, type RawFields, rawFields } from "@envs/models/server";

const comma = 44;

/** The JSON body of a request, and the bytes of its fields, where they are known. */
export interface ParsedBody {
  readonly json: unknown;
  readonly fields: RawFields | undefined;
}

/** A list of a body without its last item, up to the comma before it. */
interface KnownList {
  readonly name: string;
  readonly bytes: Buffer;
  readonly items: readonly unknown[];
}

/**
 * Parses the bodies of a session. Each request of an agent repeats its conversation, so the items of the last body's longest field
 * are not parsed again: they are the same objects.
 */
export class BodyParser {
  #known: KnownList | undefined;

  /** Throws an `HttpError` 400 for a body that is not JSON. */
  parse(body: Buffer): ParsedBody {
    const { buffer, byteOffset, length } = body;
    const fields = rawFields(new Uint8Array(buffer as ArrayBuffer, byteOffset, length));
    const [name, raw] = longestOf(fields ?? new Map());
    const list = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
    const known =
      this.#known?.name === name && repeats(list, this.#known) ? this.#known : undefined;
    const json = (known && parseRest(body, list, known)) ?? parseBody(body);
    const items = (json as Readonly<Record<string, unknown>> | null)?.[name];
    const end = lastComma(list, known?.bytes.length);
    if (Array.isArray(items) && end > 0)
      this.#known = { name, bytes: list.subarray(0, end), items: items.slice(0, -1) };
    return { json, fields };
  }
}

function longestOf(fields: RawFields): readonly [name: string, bytes: Uint8Array] {
  let longest: readonly [string, Uint8Array] = ["", new Uint8Array()];
  for (const field of fields) if (field[1].length > longest[1].length) longest = field;
  return longest;
}

function repeats(list: Buffer, { bytes }: KnownList): boolean {
  return list[bytes.length] === comma && list.subarray(0, bytes.length).equals(bytes);
}

/** Parses a body without the items that its list repeats. */
function parseRest(body: Buffer, list: Buffer, { name, bytes, items }: KnownList): unknown {
  const start = list.byteOffset - body.byteOffset;
  const rest = body.subarray(start + bytes.length + 1);
  const shortened = Buffer.concat([body.subarray(0, start), Buffer.from("["), rest]);
  const json = parseBody(shortened) as Readonly<Record<string, unknown[]>>;
  const added = json[name]!;
  // A comma before the closing bracket is not JSON.
  return added.length === 0 ? undefined : { ...json, [name]: [...items, ...added] };
}
