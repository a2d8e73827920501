// What other models need of the engine: memory, kernels, packs of sequences, sampling in lockstep, AdamW.
export { AdamW } from "./engine/adamw.ts";
export { Arena } from "./engine/arena.ts";
export type { DecodeStep } from "./engine/decoder.ts";
export { rotationTables } from "./engine/engine.ts";
export type { RotationTables } from "./engine/engine.ts";
export { fastestBuild } from "./engine/fastest-build.ts";
export { startKernels } from "./engine/kernels.ts";
export type { Kernels } from "./engine/kernels.ts";
export type { Pack } from "./engine/transformer.ts";
export { checkRequests, checkSequences } from "./replica/check-input.ts";
export { packGradients, packs, unpackOutputs } from "./replica/packs.ts";
export { readHeader } from "./safetensors/header.ts";
export { readSafetensors, writeSafetensors } from "./safetensors/safetensors.ts";
export { LockstepSampler } from "./sampling/lockstep-sampler.ts";
export type { StepReader } from "./sampling/lockstep-sampler.ts";
