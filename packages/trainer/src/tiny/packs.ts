import type { Datum } from "../backend.ts";
import type { Pack } from "../engine/transformer.ts";

/** Sequences that go through the model together. */
export interface DataPack extends Pack {
  readonly data: readonly Datum[];
  readonly temperature: number;
}

/** Lays sequences end to end, in order, as many as fit `capacity` tokens; one temperature a pack. */
export function* packs(data: readonly Datum[], capacity: number): Generator<DataPack> {
  let members: Datum[] = [];
  let tokens = 0;
  for (const datum of data) {
    const isOther = members.length > 0 && temperatureOf(datum) !== temperatureOf(members[0]!);
    if (members.length > 0 && (isOther || tokens + datum.inputs.length > capacity)) {
      yield packOf(members, tokens);
      members = [];
      tokens = 0;
    }
    members.push(datum);
    tokens += datum.inputs.length;
  }
  if (members.length > 0) yield packOf(members, tokens);
}

function temperatureOf({ temperature = 1 }: Datum): number {
  return temperature;
}

function packOf(data: readonly Datum[], tokens: number): DataPack {
  const ids = new Int32Array(tokens);
  const places: number[] = [];
  const targets: number[] = [];
  let start = 0;
  for (const datum of data) {
    ids.set(datum.inputs, start);
    for (const [index, weight] of datum.weights.entries())
      if (weight !== 0) {
        places.push(start + index);
        targets.push(datum.targets[index]!);
      }
    start += datum.inputs.length;
  }
  return {
    data,
    temperature: temperatureOf(data[0]!),
    lengths: data.map(({ inputs }) => inputs.length),
    ids,
    places: Int32Array.from(places),
    targets: Int32Array.from(targets),
  };
}
