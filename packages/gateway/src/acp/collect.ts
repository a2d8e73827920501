/** Collects the last bytes of the output of a command. */
export function collect(maxBytes: number): {
  readonly output: () => { readonly text: string; readonly truncated: boolean };
  readonly onOutput: (stream: string, data: Uint8Array) => void;
} {
  let chunks: Uint8Array[] = [];
  let size = 0;
  let truncated = false;
  const last = (): Buffer => {
    const all = Buffer.concat(chunks);
    return all.subarray(Math.max(0, all.length - maxBytes));
  };
  return {
    output: () => ({ text: last().toString("utf8"), truncated }),
    onOutput(_, data) {
      chunks.push(data);
      size += data.length;
      truncated ||= size > maxBytes;
      // Copies the bytes that are kept once in as many new ones, however long the output is.
      if (size <= 2 * maxBytes) return;
      chunks = [last()];
      size = maxBytes;
    },
  };
}
