import { create, fromBinary, toBinary } from "@bufbuild/protobuf";

import type { ServiceDatum } from "../service-data.ts";
import type { ServiceLoss } from "../service-loss.ts";
import { dtypes, readNumbers, splitTensors, writeNumbers } from "./tensors.ts";
import {
  ForwardBackwardOutputSchema,
  ForwardBackwardRequestSchema,
  SampleResponseSchema,
} from "./tinker_pb.ts";

export interface ForwardRequest extends ServiceLoss {
  readonly modelId: string;
  /** The number of the operation. */
  readonly number: number;
  readonly data: readonly ServiceDatum[];
  /** Computes no gradients. */
  readonly isForwardOnly: boolean;
}

/** Encodes a request of `forward_backward`. */
export function encodeForwardRequest(request: ForwardRequest): Uint8Array<ArrayBuffer> {
  const message = create(ForwardBackwardRequestSchema, {
    modelId: request.modelId,
    seqId: request.number,
    lossFn: request.loss_fn,
    lossFnConfig: { ...request.loss_fn_config },
    forwardOnly: request.isForwardOnly,
    data: request.data.map(({ model_input: input, loss_fn_inputs: tensors }) => ({
      modelInput: input.chunks.map(({ tokens }) => ({
        chunk: { case: "encodedText" as const, value: { tokens: writeNumbers("int32", tokens) } },
      })),
      lossFnInputs: Object.fromEntries(
        Object.entries(tensors).map(([name, { data, dtype, shape }]) => [
          name,
          {
            encoding: { case: "dense" as const, value: writeNumbers(dtype, data) },
            dtype: dtypes[dtype],
            shape: shape.map(BigInt),
          },
        ]),
      ),
    })),
  });
  return toBinary(ForwardBackwardRequestSchema, message);
}

/** Decodes the result of `forward_backward` to the form that it has in JSON. */
export function decodeForwardOutput(bytes: Uint8Array): object {
  const { lossFnOutputs: records } = fromBinary(ForwardBackwardOutputSchema, bytes);
  return {
    loss_fn_outputs: records
      .flatMap(({ fields }) => (fields["logprobs"] ? splitTensors(fields["logprobs"]) : []))
      .map((values) => ({ logprobs: { data: values.map(finiteOrNull) } })),
  };
}

const stopReasons = ["stop", "length"] as const;

/** Decodes the result of `asample` to the form that it has in JSON. */
export function decodeSamples(bytes: Uint8Array): object {
  const { sequences } = fromBinary(SampleResponseSchema, bytes);
  return {
    sequences: sequences.map(({ stopReason, tokens, logprobs }) => ({
      tokens: readNumbers("int32", tokens),
      logprobs: logprobs && readNumbers("float32", logprobs).map(finiteOrNull),
      stop_reason: stopReasons[stopReason] ?? `unknown: ${stopReason}`,
    })),
  };
}

/** Converts NaN and infinite numbers to null, as services do in JSON. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
