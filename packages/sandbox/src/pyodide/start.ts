import type { PyodideAPI, PyodideConfig } from "pyodide";

const pageSize = 65_536;

type Load = (options?: PyodideConfig) => Promise<PyodideAPI>;

/** Options that make Python isolated: no names for JavaScript objects, and the same order of sets in every process. */
const isolated = { jsglobals: {}, env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0" } };

export interface PyodideStart {
  readonly load: Load;
  /** The folder of Pyodide's files. Default: the folder of its package. */
  readonly indexURL?: string | undefined;
  /** The maximum memory in bytes. Python raises a `MemoryError` above it. */
  readonly maxMemory: number;
}

/** Starts Pyodide. Patches `WebAssembly` meanwhile, so use it only in dedicated threads and processes. */
export function startPyodide(start: PyodideStart): Promise<PyodideAPI> {
  return startWith(start, { _makeSnapshot: true }, 0);
}

/** Starts Pyodide from the memory that {@link takeSnapshot} returned, in a sixth of the time. */
export function restorePyodide(start: PyodideStart, snapshot: Uint8Array): Promise<PyodideAPI> {
  return startWith(start, { _loadSnapshot: snapshot }, snapshot.byteLength);
}

/** The memory of a Pyodide that {@link startPyodide} started. It must not know an object of JavaScript. */
export function takeSnapshot(pyodide: PyodideAPI): Uint8Array {
  return (pyodide as unknown as { makeMemorySnapshot(): Uint8Array }).makeMemorySnapshot();
}

async function startWith(
  { load, indexURL, maxMemory }: PyodideStart,
  options: object,
  size: number,
): Promise<PyodideAPI> {
  using _ = memoryOf(size, maxMemory);
  return await load({ ...isolated, ...(indexURL === undefined ? {} : { indexURL }), ...options });
}

/**
 * Gives Pyodide a memory of at least `size` bytes, because restoring a snapshot does not enlarge it, and limits its growth.
 * Pyodide has no option for either.
 */
function memoryOf(size: number, maxMemory: number): Disposable {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = (async (source: BufferSource, imports?: WebAssembly.Imports) => {
    const result = await instantiate(source, imports);
    // For a compiled module, the result is the instance.
    const memory = (result.instance as WebAssembly.Instance | undefined)?.exports["memory"];
    if (memory instanceof WebAssembly.Memory) {
      const missing = Math.floor(size / pageSize) - memory.buffer.byteLength / pageSize;
      if (missing > 0) memory.grow(missing);
      limitGrowth(memory, maxMemory);
    }
    return result;
  }) as typeof instantiate;
  return {
    [Symbol.dispose]() {
      WebAssembly.instantiate = instantiate;
    },
  };
}

function limitGrowth(memory: WebAssembly.Memory, maxMemory: number): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * pageSize > maxMemory)
      throw new RangeError(`Python needs more than ${maxMemory} bytes.`);
    return grow(pages);
  };
}
