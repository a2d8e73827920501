/** What a frame of a WebSocket is for. */
export const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;

/** A frame as clients send it: masked, with a mask of zeros, so that it can be sent again and again. */
export function frameOf(opcode: number, payload: Buffer): Buffer {
  const length = payload.length;
  if (length > 0xffff) throw new Error(`A frame of ${length} bytes is longer than any load.`);
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...size, 0, 0, 0, 0]), payload]);
}

/** The frame that a server's bytes begin with, once it is whole. */
export function answeredFrame(
  bytes: Buffer,
): { readonly opcode: number; readonly payload: Buffer; readonly end: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1]! & 0x7f;
  const start = short < 126 ? 2 : 4;
  if (short === 127) throw new Error("The server answers with more than was ever asked.");
  if (bytes.length < start) return undefined;
  const end = start + (short < 126 ? short : bytes.readUInt16BE(2));
  if (bytes.length < end) return undefined;
  return { opcode: bytes[0]! & 0x0f, payload: bytes.subarray(start, end), end };
}
