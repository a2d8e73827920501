/** Flags of V8 that {@link compileWide} sets, and their defaults. */
const flags = [
  ["--experimental-wasm-revectorize", "--no-experimental-wasm-revectorize"],
  // With these flags, V8 compiles every function immediately and only once.
  ["--no-liftoff", "--liftoff"],
  ["--no-wasm-lazy-compilation", "--wasm-lazy-compilation"],
] as const;

/** The part of Node's `process` that is read here. It is undefined in browsers. */
interface NodeProcess {
  readonly arch: string;
  readonly config: { readonly variables: Readonly<Record<string, unknown>> };
  getBuiltinModule(id: "v8"): { setFlagsFromString(flag: string): void };
}

/** Whether V8 can join pairs of 128-bit operations: Node on x64, built with this optimisation, as its releases from 24 are. */
export function canCompileWide(): boolean {
  const node = nodeProcess();
  return node?.arch === "x64" && node.config.variables["v8_enable_wasm_simd256_revec"] === 1;
}

/**
 * Compiles a module so that V8 joins pairs of adjacent 128-bit operations into operations of 256 bits. That changes no
 * result, because lanes are independent. The flags are set only while this module is compiled, so that V8 compiles no
 * other module with them.
 */
export function compileWide(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  const v8 = canCompileWide() ? nodeProcess()?.getBuiltinModule("v8") : undefined;
  try {
    for (const [on] of flags) v8?.setFlagsFromString(on);
    return new WebAssembly.Module(bytes);
  } finally {
    for (const [, off] of flags) v8?.setFlagsFromString(off);
  }
}

function nodeProcess(): NodeProcess | undefined {
  return (globalThis as { readonly process?: NodeProcess }).process;
}
