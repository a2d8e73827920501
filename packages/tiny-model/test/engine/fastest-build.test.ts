import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { canCompileWide } from "../../src/engine/compile-wide.ts";
import { startEngine } from "../../src/engine/engine.ts";
import { fastestBuild, hasFusedMultiplyAdd } from "../../src/engine/fastest-build.ts";
import { type KernelBuild, startKernels } from "../../src/engine/kernels.ts";
import { Transformer } from "../../src/engine/transformer.ts";
import { numbers } from "./scratch-memory.ts";
import { nonzeroWeights } from "./small-engine.ts";

const run = promisify(execFile);
const shape = { vocabulary: 61, width: 64, layers: 2, heads: 4, hidden: 88, context: 48 };

/** Log-probabilities, entropies and all gradients of one pack. */
function results(build: KernelBuild): readonly number[] {
  const engine = startEngine(shape, build);
  engine.weights.values.set(nonzeroWeights(shape));
  const transformer = new Transformer(engine, 100);
  const lengths = [47, 1, 31, 18];
  const count = 97;
  const ids = Int32Array.from({ length: count }, (_, at) => (at * 17) % shape.vocabulary);
  const places = Int32Array.from({ length: count }, (_, at) => at);
  const { logprobs, entropies } = transformer.forward({
    lengths,
    ids,
    places,
    targets: ids.map((id) => (id * 3) % shape.vocabulary),
    temperature: 0.9,
  });
  transformer.backward(
    Float32Array.from(numbers(5, count)),
    Float32Array.from(numbers(6, count, 0.1)),
  );
  return [...logprobs, ...entropies, ...engine.weights.gradientValues];
}

test("computes the same bits with wide and with narrow tiles", () => {
  expect(results("wide")).toEqual(results("relaxed"));
});

test("selects the wide build where V8 can compile it and the processor fuses multiply-add", () => {
  const isWide = canCompileWide() && hasFusedMultiplyAdd(startKernels("relaxed"));
  expect(fastestBuild()).toBe(isWide ? "wide" : "relaxed");
});

test("never fuses in the build without relaxed SIMD", () => {
  expect(hasFusedMultiplyAdd(startKernels("simd"))).toBe(false);
});

test("selects the narrow build where V8 cannot compile the wide one", async () => {
  const file = new URL("../../src/engine/fastest-build.ts", import.meta.url).href;
  const script = `
    const variables = { ...process.config.variables, v8_enable_wasm_simd256_revec: 0 };
    Object.defineProperty(process, "config", { value: { variables } });
    const { fastestBuild } = await import(${JSON.stringify(file)});
    process.stdout.write(fastestBuild());`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script]);
  expect(stdout).toBe("relaxed");
});

test("leaves V8's flags as they were", async () => {
  const file = new URL("../../src/engine/fastest-build.ts", import.meta.url).href;
  // V8 traces each pair of operations that it joins. After the kernels are compiled, it must not join pairs of another module.
  const script = `
    const { fastestBuild } = await import(${JSON.stringify(file)});
    const build = fastestBuild();
    const { startKernels } = await import(${JSON.stringify(file.replace("fastest-build", "kernels"))});
    const v8 = await import("node:v8");
    v8.setFlagsFromString("--trace-wasm-revectorize");
    v8.setFlagsFromString("--no-liftoff");
    v8.setFlagsFromString("--no-wasm-lazy-compilation");
    startKernels("simd");
    process.stderr.write(build);`;
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "--eval", script]);
  expect(stdout).toBe("");
  expect(stderr).toBe(fastestBuild());
});
