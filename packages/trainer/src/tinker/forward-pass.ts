import type { LossSettings } from "../algorithms/loss-settings.ts";
import type { Datum, Forward } from "../backend.ts";
import { decodeForwardOutput, encodeForwardRequest } from "./protobuf/messages.ts";
import { type ForwardOutput, forwardOutput } from "./responses.ts";
import { type ServiceDatum, serviceDatum } from "./service-data.ts";
import { ServiceError } from "./service-error.ts";
import { type ServiceLoss, serviceLoss } from "./service-loss.ts";
import type { Operation, TrainingClient } from "./training-client.ts";

export interface ForwardPass {
  readonly route: "forward" | "forward_backward";
  readonly data: readonly Datum[];
  readonly loss: LossSettings;
}

/** The maximum size of a request. Services accept a few megabytes, and a token takes about 40 characters. */
const maxRequest = { data: 256, tokens: 100_000 };

/** Runs a batch through the model, in several requests if it is large. */
export async function runForwardPass(
  client: TrainingClient,
  { route, data, loss }: ForwardPass,
): Promise<Forward[]> {
  const settings = serviceLoss(loss);
  const results = await Promise.all(
    splitBatch(data).map((part) => {
      const input = { ...settings, data: part.map((datum) => serviceDatum(datum, loss)) };
      return client.perform(forwardOperation(input, route));
    }),
  );
  const outputs = results.flatMap((result) => result.loss_fn_outputs);
  return data.map(({ targets }, index) => {
    const logprobs = outputs[index]?.logprobs.data ?? [];
    if (logprobs.length === targets.length && outputs.length === data.length)
      return { logprobs: Float32Array.from(logprobs) };
    throw new ServiceError(
      `The service received ${data.length} sequences but returned ${outputs.length}. Sequence ${index + 1} has ${targets.length} tokens and ${logprobs.length} log-probabilities.`,
      { isFatal: true },
    );
  });
}

interface ForwardInput extends ServiceLoss {
  readonly data: readonly ServiceDatum[];
}

export function forwardOperation(
  input: ForwardInput,
  route: ForwardPass["route"],
): Operation<ForwardOutput> {
  return {
    route,
    body: () => ({ [`${route}_input`]: input }),
    response: forwardOutput,
    // In protobuf, both passes have one route.
    protobuf: {
      route: "forward_backward",
      encode: (modelId, number) =>
        encodeForwardRequest({ ...input, modelId, number, isForwardOnly: route === "forward" }),
      decode: decodeForwardOutput,
    },
  };
}

/** Splits a batch into parts that fit a request, between data. */
export function* splitBatch(data: readonly Datum[]): Generator<readonly Datum[]> {
  let part: Datum[] = [];
  let tokens = 0;
  for (const datum of data) {
    const { length } = datum.inputs;
    const isFull = part.length === maxRequest.data || tokens + length > maxRequest.tokens;
    if (part.length > 0 && isFull) {
      yield part;
      part = [];
      tokens = 0;
    }
    part.push(datum);
    tokens += length;
  }
  if (part.length > 0) yield part;
}
