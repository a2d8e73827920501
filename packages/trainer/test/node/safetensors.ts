/** A safetensors file with one number in each tensor. */
export function safetensors(names: readonly string[]): Uint8Array {
  const header = Object.fromEntries(
    names.map((name, index) => [
      name,
      { dtype: "F32", shape: [1], data_offsets: [4 * index, 4 * index + 4] },
    ]),
  );
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, Buffer.alloc(4 * names.length)]);
}
