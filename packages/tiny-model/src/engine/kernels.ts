import { compileWide } from "./compile-wide.ts";
import { binaries } from "./kernels.generated.ts";

/** A function of `assembly/`, documented there; addresses and strides are in bytes. */
type Kernel = (...parameters: readonly number[]) => void;

/** The numeric kernels and the memory that they work on. */
export interface Kernels {
  readonly memory: WebAssembly.Memory;
  readonly adamW: Kernel;
  readonly addToRows: Kernel;
  readonly attention: Kernel;
  readonly attentionBackward: Kernel;
  readonly gate: Kernel;
  readonly gateBackward: Kernel;
  readonly gather: Kernel;
  readonly gemm: Kernel;
  readonly logSoftmax: Kernel;
  readonly logSoftmaxBackward: Kernel;
  readonly multiply: Kernel;
  readonly normalize: Kernel;
  readonly normalizeBackward: Kernel;
  readonly probabilities: Kernel;
  readonly cachedAttention: Kernel;
  readonly writeCache: Kernel;
  readonly rotate: Kernel;
  readonly scaleColumns: Kernel;
  readonly scatterAdd: Kernel;
  readonly squaredRelu: Kernel;
  readonly squaredReluBackward: Kernel;
  readonly transpose: Kernel;
  readonly sumOfSquares: (count: number, address: number) => number;
}

/**
 * `relaxed` rounds a · b + c once where the processor has fused multiply-add; `wide` computes the same with larger tiles,
 * for 256-bit registers; `simd` rounds twice.
 */
export type KernelBuild = "wide" | "relaxed" | "simd";

const compiled = new Map<KernelBuild, WebAssembly.Module>();

/** Instantiates the kernels with a new memory. */
export function startKernels(build: KernelBuild): Kernels {
  let module = compiled.get(build);
  if (module === undefined) {
    const bytes = bytesOf(build);
    module = build === "wide" ? compileWide(bytes) : new WebAssembly.Module(bytes);
    compiled.set(build, module);
  }
  return new WebAssembly.Instance(module).exports as unknown as Kernels;
}

/** Whether this machine runs modules with relaxed SIMD. */
export function supportsRelaxed(): boolean {
  return WebAssembly.validate(bytesOf("relaxed"));
}

function bytesOf(build: KernelBuild): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(binaries[build]), (character) => character.charCodeAt(0));
}
