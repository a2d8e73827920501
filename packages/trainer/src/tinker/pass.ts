import type { LossSettings } from "../algorithms/loss-settings.ts";
import type { Datum, Forward } from "../backend.ts";
import { passed } from "./answers.ts";
import { chunksOf } from "./chunks.ts";
import type { Run } from "./run.ts";
import { serviceDatum } from "./service-data.ts";
import { ServiceError } from "./service-error.ts";
import { serviceLoss } from "./service-loss.ts";

/** A batch that goes through the model. */
export interface Pass {
  readonly route: "forward" | "forward_backward";
  readonly data: readonly Datum[];
  readonly loss: LossSettings;
}

/** Sends a batch through the model, in as many requests as it takes. */
export async function pass(run: Run, { route, data, loss }: Pass): Promise<Forward[]> {
  const settings = serviceLoss(loss);
  const read = await Promise.all(
    chunksOf(data).map((chunk) => {
      const input = { ...settings, data: chunk.map((datum) => serviceDatum(datum, loss)) };
      return run.perform({ route, body: () => ({ [`${route}_input`]: input }), answer: passed });
    }),
  );
  const outputs = read.flatMap(({ loss_fn_outputs: each }) => each);
  return data.map(({ targets }, index) => {
    const logprobs = outputs[index]?.logprobs.data ?? [];
    if (logprobs.length === targets.length && outputs.length === data.length)
      return { logprobs: Float32Array.from(logprobs) };
    throw new ServiceError(
      `The service read ${data.length} sequences, but answered for ${outputs.length}; sequence ${index + 1} has ${targets.length} tokens and ${logprobs.length} log-probabilities.`,
      { isFatal: true },
    );
  });
}
