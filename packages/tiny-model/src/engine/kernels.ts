import { relaxed, simd } from "./kernels.generated.ts";

/** A function of `assembly/`, documented there; addresses and strides are in bytes. */
type Kernel = (...parameters: readonly number[]) => void;

/** The numeric kernels and the memory that they work on. */
export interface Kernels {
  readonly memory: WebAssembly.Memory;
  readonly adamW: Kernel;
  readonly attention: Kernel;
  readonly attentionBackward: Kernel;
  readonly gather: Kernel;
  readonly gemm: Kernel;
  readonly logSoftmax: Kernel;
  readonly logSoftmaxBackward: Kernel;
  readonly normalize: Kernel;
  readonly normalizeBackward: Kernel;
  readonly probabilities: Kernel;
  readonly cachedAttention: Kernel;
  readonly writeCache: Kernel;
  readonly rotate: Kernel;
  readonly scatterAdd: Kernel;
  readonly squaredRelu: Kernel;
  readonly squaredReluBackward: Kernel;
  readonly transpose: Kernel;
  readonly sumOfSquares: (count: number, address: number) => number;
}

/** `relaxed` uses fused multiply-add, with one rounding, where the processor has it. */
export type KernelBuild = "relaxed" | "simd";

const compiled = new Map<KernelBuild, WebAssembly.Module>();

/** The fastest build that this machine supports. */
function fastestBuild(): KernelBuild {
  return WebAssembly.validate(bytesOf("relaxed")) ? "relaxed" : "simd";
}

/** Instantiates the kernels with a new memory. */
export function startKernels(build: KernelBuild = fastestBuild()): Kernels {
  let module = compiled.get(build);
  if (module === undefined) compiled.set(build, (module = new WebAssembly.Module(bytesOf(build))));
  return new WebAssembly.Instance(module).exports as unknown as Kernels;
}

function bytesOf(build: KernelBuild): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(build === "relaxed" ? relaxed : simd), (character) =>
    character.charCodeAt(0),
  );
}
