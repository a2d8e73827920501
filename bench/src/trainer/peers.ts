import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

import type { Checkpoint } from "@envs/tiny-model";
import type { Datum } from "@envs/trainer";

import { parametersOf } from "../../../packages/tiny-model/src/engine/shape.ts";
import { virtualEnvironment } from "../../../tooling/src/virtual-environment.ts";

/** `torch` runs PyTorch eagerly, `compile` with `torch.compile`, `jax` with `jit`. */
export type PeerKind = "torch" | "compile" | "jax";

/** The model in Python, in its own process. */
export interface Peer {
  readonly kind: PeerKind;
  readonly threads: number;
  /** Runs a task of `peer.py` and returns its result. */
  ask<Result>(task: "check" | "train" | "decode" | "probe" | "peak"): Promise<Result>;
  close(): void;
}

export interface PeerInput {
  readonly checkpoint: Checkpoint;
  readonly data: readonly Datum[];
  /** Tokens of each conversation; the time of those from `from` on is measured. */
  readonly conversations: readonly (readonly number[])[];
  readonly from: number;
}

const root = join(import.meta.dirname, "../../..");

/** The Python with PyTorch and JAX. Installs them on the first call. */
export function peersPython(): string {
  return virtualEnvironment({
    requirements: join(root, "bench/python/trainer.txt"),
    folder: join(root, "node_modules/.cache/bench-trainer"),
  });
}

/** Writes weights and inputs to a new folder. */
export function writePeerInput(input: PeerInput): { readonly path: string; remove(): void } {
  const { checkpoint, data, conversations, from } = input;
  const folder = mkdtempSync(join(tmpdir(), "envs-bench-trainer-"));
  const [path, weights] = [join(folder, "input.json"), join(folder, "weights.bin")];
  writeFileSync(weights, checkpoint.state.weights);
  const content = {
    shape: checkpoint.shape,
    weights,
    parameters: parametersOf(checkpoint.shape).map(({ name, rows, columns, offset }) => [
      name,
      rows,
      columns,
      offset,
    ]),
    batch: padBatch(data),
    conversations,
    from,
    capacity: Math.max(...conversations.map(({ length }) => length)),
  };
  writeFileSync(path, JSON.stringify(content));
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Sequences as rows of one length; `trained` are the positions with a weight. */
function padBatch(data: readonly Datum[]) {
  const length = Math.max(...data.map(({ inputs }) => inputs.length));
  const trained: number[] = [];
  const targets: number[] = [];
  const shares: number[] = [];
  const ids = data.map((datum, row) => {
    for (const [column, weight] of datum.weights.entries()) {
      if (weight === 0) continue;
      trained.push(row * length + column);
      targets.push(datum.targets[column]!);
      shares.push(weight);
    }
    return [...datum.inputs, ...Array.from({ length: length - datum.inputs.length }, () => 0)];
  });
  return { ids, trained, targets, shares };
}

/** Starts a peer and waits until it has compiled the model and read all conversations once. */
export async function startPeer(
  python: string,
  kind: PeerKind,
  options: { readonly threads: number; readonly path: string },
): Promise<Peer> {
  const { threads, path } = options;
  const script = join(import.meta.dirname, "peer.py");
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    python,
    [script, kind, String(threads), path],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  let problem = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (problem += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done !== true) return line.value;
    throw new Error(`The peer ${kind} ended. Its last error: ${problem.trim().slice(-2000)}`);
  };
  await next();
  return {
    kind,
    threads,
    async ask(task) {
      child.stdin.write(`${task}\n`);
      return JSON.parse(await next());
    },
    close: () => child.stdin.end(),
  };
}
