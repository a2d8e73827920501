import { ByteReader } from "./byte-reader.ts";

/** How far back a copy may reach. The format allows more, but encoders compress 64 kB at a time. */
const windowSize = 2 ** 16;
const blockSize = 2 ** 18;

/** Decompresses snappy in pieces, so that a page of 100 MB is never in memory. */
export async function* unsnappy(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = new ByteReader(pieces);
  // The size of the output, which the page's header has too.
  while ((await input.fill(1)) && input.integer(1) >= 0x80);
  const block = new Uint8Array(windowSize + blockSize);
  let [start, end] = [0, 0];
  const flush = (): Uint8Array => {
    const piece = block.slice(start, end);
    const window = Math.min(end, windowSize);
    block.copyWithin(0, end - window, end);
    start = end = window;
    return piece;
  };
  // An element has at most five bytes before a literal.
  while (input.present >= 5 || (await input.fill(5)) || input.present > 0) {
    const { position, end: next } = decode(input.view(), block, end);
    input.take(position);
    end = next;
    if (end + 64 > block.length) yield flush();
    if (input.present === 0) continue;
    // What `decode` leaves: an element that may be long, or continue in the next piece.
    await input.fill(5);
    const tag = input.integer(1);
    if ((tag & 3) !== 0) {
      const size = [0, 1, 2, 4][tag & 3]!;
      if (input.present < size) throw damaged();
      const high = size === 1 ? (tag >>> 5) << 8 : 0;
      const length = size === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
      end = copy(block, { end, distance: high + input.integer(size), length });
      continue;
    }
    const size = tag >>> 2;
    let length = 1 + (size < 60 ? size : input.integer(size - 59));
    while (length > 0) {
      if (!(await input.fill(1))) throw damaged();
      if (end === block.length) yield flush();
      const part = input.take(Math.min(length, input.present, block.length - end));
      block.set(part, end);
      end += part.length;
      length -= part.length;
    }
  }
  yield flush();
}

/** Decodes short elements that are whole, into `block` from `start` on. */
function decode(
  { buffer, byteOffset, byteLength }: DataView,
  block: Uint8Array,
  start: number,
): { readonly position: number; readonly end: number } {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  let [position, end] = [0, start];
  // The longest element of these has 61 bytes, and writes 64.
  while (position + 61 <= bytes.length && end + 64 <= block.length) {
    const tag = bytes[position]!;
    const length = (tag >>> 2) + 1;
    const kind = tag & 3;
    if (kind === 0) {
      if (length > 60) break;
      for (let byte = 1; byte <= length; byte += 1, end += 1) block[end] = bytes[position + byte]!;
      position += 1 + length;
    } else if (kind === 1) {
      const distance = ((tag >>> 5) << 8) | bytes[position + 1]!;
      end = copy(block, { end, distance, length: ((tag >>> 2) & 7) + 4 });
      position += 2;
    } else if (kind === 2) {
      const distance = bytes[position + 1]! | (bytes[position + 2]! << 8);
      end = copy(block, { end, distance, length });
      position += 3;
    } else break;
  }
  return { position, end };
}

/** Repeats earlier bytes, which may overlap with those that are written. */
function copy(
  block: Uint8Array,
  {
    end,
    distance,
    length,
  }: { readonly end: number; readonly distance: number; readonly length: number },
): number {
  if (!(distance > 0 && distance <= end)) throw damaged();
  for (let byte = end; byte < end + length; byte += 1) block[byte] = block[byte - distance]!;
  return end + length;
}

function damaged(): Error {
  return new Error("a page is damaged: its snappy data end early, or refer to missing bytes");
}
