/** Collects the last bytes of the output of a command. */
export function collect(maxBytes: number): {
  readonly output: () => { readonly text: string; readonly truncated: boolean };
  readonly onOutput: (stream: string, data: Uint8Array) => void;
} {
  let bytes: Buffer = Buffer.alloc(0);
  let truncated = false;
  return {
    output: () => ({ text: bytes.toString("utf8"), truncated }),
    onOutput(_, data) {
      const all = Buffer.concat([bytes, data]);
      truncated ||= all.length > maxBytes;
      bytes = all.subarray(Math.max(0, all.length - maxBytes));
    },
  };
}
