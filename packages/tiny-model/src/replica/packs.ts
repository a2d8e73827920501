import type { Pack } from "../engine/transformer.ts";
import type { ForwardOutput, OutputGradients, TargetSequence } from "./target-sequence.ts";

/** Sequences that go through the model in one call. */
export interface SequencePack<Sequence extends TargetSequence> {
  readonly sequences: readonly Sequence[];
  readonly pack: Pack;
}

/** Concatenates sequences in order, up to `capacity` tokens per pack. All sequences of a pack have the same temperature. */
export function* packs<Sequence extends TargetSequence>(
  sequences: readonly Sequence[],
  capacity: number,
): Generator<SequencePack<Sequence>> {
  let members: Sequence[] = [];
  let tokens = 0;
  for (const sequence of sequences) {
    const [first] = members;
    const hasOtherTemperature =
      first !== undefined && temperatureOf(sequence) !== temperatureOf(first);
    if (hasOtherTemperature || (members.length > 0 && tokens + sequence.inputs.length > capacity)) {
      yield { sequences: members, pack: concatenate(members) };
      members = [];
      tokens = 0;
    }
    members.push(sequence);
    tokens += sequence.inputs.length;
  }
  if (members.length > 0) yield { sequences: members, pack: concatenate(members) };
}

/** Distributes a pack's outputs, which have one number per place, over its sequences. */
export function unpackOutputs(
  sequences: readonly TargetSequence[],
  { logprobs, entropies }: ForwardOutput,
): ForwardOutput[] {
  let place = 0;
  return sequences.map(({ inputs, weights }) => {
    const output = {
      logprobs: new Float32Array(inputs.length),
      entropies: new Float32Array(inputs.length),
    };
    for (const [position, weight] of weights.entries()) {
      if (weight === 0) continue;
      output.logprobs[position] = logprobs[place]!;
      output.entropies[position] = entropies[place]!;
      place += 1;
    }
    return output;
  });
}

/** The inverse of {@link unpackOutputs}, for gradients. */
export function packGradients(
  { sequences, pack }: SequencePack<TargetSequence>,
  gradients: readonly OutputGradients[],
): OutputGradients {
  const gradLogprobs = new Float32Array(pack.places.length);
  const gradEntropies = new Float32Array(pack.places.length);
  let place = 0;
  for (const [index, { weights }] of sequences.entries())
    for (const [position, weight] of weights.entries()) {
      if (weight === 0) continue;
      gradLogprobs[place] = gradients[index]!.gradLogprobs[position]!;
      gradEntropies[place] = gradients[index]!.gradEntropies[position]!;
      place += 1;
    }
  return { gradLogprobs, gradEntropies };
}

function temperatureOf({ temperature = 1 }: TargetSequence): number {
  return temperature;
}

function concatenate(sequences: readonly TargetSequence[]): Pack {
  const lengths = sequences.map(({ inputs }) => inputs.length);
  const ids = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  const places: number[] = [];
  const targets: number[] = [];
  let start = 0;
  for (const sequence of sequences) {
    ids.set(sequence.inputs, start);
    for (const [index, weight] of sequence.weights.entries())
      if (weight !== 0) {
        places.push(start + index);
        targets.push(sequence.targets[index]!);
      }
    start += sequence.inputs.length;
  }
  return {
    lengths,
    ids,
    places: Int32Array.from(places),
    targets: Int32Array.from(targets),
    temperature: temperatureOf(sequences[0]!),
  };
}
