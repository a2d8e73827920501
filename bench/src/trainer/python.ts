import { TinyModel } from "@envs/tiny-model";
import { type Backend, type Datum, tinyBackend } from "@envs/trainer";

import type { Figure } from "../figure.ts";
import { rate, rounds, type Rounds, speedup } from "../rounds.ts";
import { createDecoder } from "./engine.ts";
import { countTokens, cutGames, loadMaterial, normalizeWeights } from "./material.ts";
import { decodingOperations, trainingOperations } from "./operations.ts";
import { type Peer, type PeerKind, peersPython, startPeer, writePeerInput } from "./peers.ts";

const roundCount = 9;
const sequences = 64;
const [slots, from, to] = [256, 40, 64];
const names = { torch: "PyTorch", compile: "torch.compile", jax: "JAX" } as const;
const kinds = Object.keys(names) as PeerKind[];
const aim = { at: "least", value: 1 } as const;
const loss = { name: "cross_entropy" } as const;
const frozen = { learningRate: 0, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0 };

/**
 * Compares training steps and decoding with PyTorch and JAX, on one thread and on two, in alternation, and measures which
 * share of the processor's peak the tiny model reaches. The peak is that of their matrix products.
 */
export async function python(): Promise<readonly Figure[]> {
  let program: string;
  try {
    program = peersPython();
  } catch (error) {
    process.stderr.write(
      `trainer: skipped PyTorch and JAX, because they need Python. ${String(error)}\n`,
    );
    return [];
  }
  const { games } = await loadMaterial();
  const dense = cutGames(games, { sequences, length: 72 });
  const whole = normalizeWeights(games.slice(0, sequences));
  return [
    ...(await compare(program, dense, `${sequences} × 72 tokens, all trained on`)),
    ...(await compare(program, whole, `${sequences} games`)),
  ];
}

async function compare(
  program: string,
  data: readonly Datum[],
  label: string,
): Promise<readonly Figure[]> {
  const { checkpoint, games } = await loadMaterial();
  const conversations = cutGames(games, { sequences: slots, length: to }).map(({ inputs }) =>
    Array.from(inputs),
  );
  const input = writePeerInput({ checkpoint, data, conversations, from });
  const peers: Peer[] = [];
  const ours: Backend[] = [];
  try {
    for (const threads of [1, 2]) {
      ours.push(tinyBackend(await TinyModel.start("ours", checkpoint, { threads })));
      for (const kind of kinds) {
        const peer = await startPeer(program, kind, { threads, path: input.path }).catch(
          skipCompile(kind),
        );
        if (peer !== undefined) peers.push(peer);
      }
    }
    const decode = createDecoder(checkpoint, slots);
    const column = (position: number): Int32Array =>
      Int32Array.from(conversations, (ids) => ids[position]!);
    const columns = Array.from({ length: to }, (_, position) => column(position));
    let probabilities = new Float32Array();
    for (const [position, ids] of columns.entries()) probabilities = decode(ids, position).slice();
    for (const peer of peers) await assertSameModel(peer, { ours: ours[0]!, data, probabilities });

    const tasks: Record<string, () => Promise<number | void>> = {
      "decode ours": async () => {
        for (let position = from; position < to; position += 1)
          decode(columns[position]!, position);
      },
    };
    for (const [index, backend] of ours.entries())
      tasks[`train ours ${index + 1}`] = async () => {
        await backend.forwardBackward(data, loss);
        await backend.optimStep({ ...frozen, clipNorm: 1 });
      };
    for (const peer of peers)
      for (const task of ["train", "decode"] as const)
        tasks[`${task} ${peer.kind} ${peer.threads}`] = () => peer.ask<number>(task);
    const peaks: [number, number] = [0, 0];
    for (const peer of peers)
      if (peer.kind === "torch")
        tasks[`peak ${peer.threads}`] = async () => {
          const index = peer.threads - 1;
          peaks[index] = Math.max(peaks[index]!, await peer.ask<number>("peak"));
        };
    const measured = await rounds(roundCount, tasks);
    return figures(measured, { data, label, peaks, shape: checkpoint.shape });
  } finally {
    for (const peer of peers) peer.close();
    for (const backend of ours) await backend.close?.();
    input.remove();
  }
}

/** `torch.compile` needs a C++ compiler, which a machine may lack. Every other error is thrown. */
function skipCompile(kind: PeerKind): (error: unknown) => undefined {
  return (error) => {
    if (kind !== "compile") throw error;
    process.stderr.write(`trainer: skipped torch.compile. ${String(error)}\n`);
    return undefined;
  };
}

interface Context {
  readonly data: readonly Datum[];
  readonly label: string;
  readonly peaks: readonly [number, number];
  readonly shape: Parameters<typeof trainingOperations>[0];
}

function figures(
  measured: Rounds<string>,
  { data, label, peaks, shape }: Context,
): readonly Figure[] {
  const result: Figure[] = [];
  const operations = trainingOperations(shape, data);
  for (const threads of [1, 2] as const) {
    const on = threads === 1 ? "on one thread" : "on two threads";
    const ours = measured[`train ours ${threads}`]!;
    const peak = peaks[threads - 1]!;
    result.push(
      {
        name: `training step, ${label}, ${on}: ours`,
        unit: "tokens/s",
        ...rate(countTokens(data), ours),
      },
      ...measuredKinds(measured).map((kind) =>
        ratio(
          `ours / ${names[kind]}, training step, ${on}`,
          speedup(ours, measured[`train ${kind} ${threads}`]!),
        ),
      ),
      {
        name: `peak of the processor ${on}: products by MKL or OpenBLAS`,
        unit: "GFLOP/s",
        value: peak,
      },
      {
        name: `share of the peak, training step, ${on}`,
        unit: "%",
        ...share(operations, ours, peak),
      },
    );
  }
  const decoding = measured["decode ours"]!;
  let decoded = 0;
  for (let position = from; position < to; position += 1)
    decoded += slots * decodingOperations(shape, position + 1);
  result.push(
    {
      name: `decoding, ${slots} conversations, tokens ${from} to ${to}, on one thread: ours`,
      unit: "tokens/s",
      ...rate(slots * (to - from), decoding),
    },
    ...measuredKinds(measured).map((kind) =>
      ratio(
        `ours / ${names[kind]}, decoding, on one thread`,
        speedup(decoding, measured[`decode ${kind} 1`]!),
      ),
    ),
    {
      name: "share of the peak, decoding, on one thread",
      unit: "%",
      ...share(decoded, decoding, peaks[0]),
    },
  );
  return result;
}

function measuredKinds(measured: Rounds<string>): readonly PeerKind[] {
  return kinds.filter((kind) => measured[`train ${kind} 1`] !== undefined);
}

function ratio(name: string, { value, median }: ReturnType<typeof speedup>): Figure {
  return { name, unit: "×", value, median, aim };
}

/** Operations per second as a percentage of the peak. */
function share(operations: number, seconds: readonly number[], peak: number) {
  const { value, median } = rate(operations / 1e9, seconds);
  return { value: (100 * value) / peak, median: (100 * median) / peak };
}

/** Fails if loss, gradients or probabilities differ, because only equal computations have comparable speeds. */
async function assertSameModel(
  peer: Peer,
  expected: {
    readonly ours: Backend;
    readonly data: readonly Datum[];
    readonly probabilities: Float32Array;
  },
): Promise<void> {
  const { ours, data, probabilities } = expected;
  const { loss: ourLoss } = await ours.forwardBackward(data, loss);
  const { gradientNorm } = await ours.optimStep({ ...frozen, clipNorm: 0 });
  const theirs = await peer.ask<{ loss: number; gradientNorm: number }>("check");
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-3 * Math.abs(b);
  const areGradientsNear =
    isNear(ourLoss, theirs.loss) && isNear(gradientNorm ?? Number.NaN, theirs.gradientNorm);
  const row = await peer.ask<readonly number[]>("probe");
  const isProbabilityNear = row.every((value, id) => Math.abs(value - probabilities[id]!) < 1e-3);
  if (areGradientsNear && isProbabilityNear) return;
  throw new Error(
    `The models differ: ours has the loss ${ourLoss} and the gradient norm ${gradientNorm}, ${names[peer.kind]} ${theirs.loss} and ${theirs.gradientNorm}; the probabilities are ${isProbabilityNear ? "equal" : "different"}.`,
  );
}
