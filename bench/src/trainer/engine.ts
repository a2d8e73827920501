import type { Checkpoint } from "@envs/tiny-model";

import type { DecodeStep } from "../../../packages/tiny-model/src/engine/decode-steps.ts";
import { Decoder } from "../../../packages/tiny-model/src/engine/decoder.ts";
import { startEngine } from "../../../packages/tiny-model/src/engine/engine.ts";

/** Creates a decoder that reads one token of each of `slots` conversations per call. */
export function createDecoder(
  { shape, state }: Checkpoint,
  slots: number,
): (ids: Int32Array, position: number) => Float32Array {
  const engine = startEngine(shape);
  engine.weights.values.set(state.weights);
  const decoder = new Decoder(engine, { slots, capacity: slots });
  return (ids, position) => {
    const steps = Array.from(ids, (id, slot): DecodeStep => ({
      id,
      slot,
      position,
      isLast: true,
      temperature: 1,
    }));
    return decoder.read(steps).rows;
  };
}
