const types = { float: 6, string: 8 };

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(values: readonly number[]): Buffer {
  return Buffer.from(Float32Array.from(values).buffer);
}

/** A LoRA adapter of rank 1 for one square matrix of a Llama, as a GGUF file: it adds `scale` to every weight. */
export function loraAdapter(tensor: string, width: number, scale: number): Buffer {
  const strings = {
    "general.type": "adapter",
    "general.architecture": "llama",
    "adapter.type": "lora",
  };
  const tensors = [
    { name: `${tensor}.lora_a`, shape: [width, 1], value: 1 },
    { name: `${tensor}.lora_b`, shape: [1, width], value: scale },
  ];
  const header = Buffer.concat([
    Buffer.from("GGUF"),
    u32(3),
    u64(tensors.length),
    u64(Object.keys(strings).length + 1),
    ...Object.entries(strings).flatMap(([key, value]) => [
      text(key),
      u32(types.string),
      text(value),
    ]),
    text("adapter.lora.alpha"),
    u32(types.float),
    f32([1]),
    ...tensors.flatMap(({ name, shape }, index) => [
      text(name),
      u32(shape.length),
      ...shape.map(u64),
      u32(0),
      u64(index * width * 4),
    ]),
  ]);
  // Tensors begin at a multiple of 32 bytes; `width * 4` is one.
  const padding = Buffer.alloc((32 - (header.length % 32)) % 32);
  const data = tensors.map(({ value }) => f32(Array.from({ length: width }, () => value)));
  return Buffer.concat([header, padding, ...data]);
}
