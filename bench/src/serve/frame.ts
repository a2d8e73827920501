/** The opcodes of RFC 6455. */
export const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;

/** Encodes a masked client frame. The mask is zero, so that the same bytes can be sent repeatedly. */
export function encodeFrame(opcode: number, payload: Buffer): Buffer {
  const length = payload.length;
  if (length > 0xffff)
    throw new Error(`Cannot encode a frame of ${length} bytes: the limit is 65,535.`);
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...size, 0, 0, 0, 0]), payload]);
}

/** Parses the first frame of a server's bytes. Returns `undefined` until it is complete. */
export function parseFrame(
  bytes: Buffer,
): { readonly opcode: number; readonly payload: Buffer; readonly end: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1]! & 0x7f;
  const start = short < 126 ? 2 : 4;
  if (short === 127) throw new Error("The server sent a frame of more than 65,535 bytes.");
  if (bytes.length < start) return undefined;
  const end = start + (short < 126 ? short : bytes.readUInt16BE(2));
  if (bytes.length < end) return undefined;
  return { opcode: bytes[0]! & 0x0f, payload: bytes.subarray(start, end), end };
}
