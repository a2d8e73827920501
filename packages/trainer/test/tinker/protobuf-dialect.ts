import { create, fromBinary, toBinary } from "@bufbuild/protobuf";

import { readNumbers, writeNumbers } from "../../src/tinker/protobuf/tensors.ts";
import {
  ForwardBackwardOutputSchema,
  ForwardBackwardRequestSchema,
  SampleResponseSchema,
} from "../../src/tinker/protobuf/tinker_pb.ts";
import type { Route } from "./request-schemas.ts";

export const protobufType = "application/x-protobuf";

/** Decodes a request of `forward_backward` to its form in JSON. */
export function decodeForwardRequest(bytes: Uint8Array): object {
  const message = fromBinary(ForwardBackwardRequestSchema, bytes);
  return {
    model_id: message.modelId,
    seq_id: message.seqId,
    forward_only: message.forwardOnly,
    forward_backward_input: {
      data: message.data.map(({ modelInput, lossFnInputs }) => ({
        model_input: {
          chunks: modelInput.map(({ chunk }) => ({
            tokens: readNumbers("int32", chunk.value?.tokens ?? new Uint8Array()),
          })),
        },
        loss_fn_inputs: Object.fromEntries(
          Object.entries(lossFnInputs).map(([name, { encoding, dtype }]) => {
            const type = dtype === 2 ? "int64" : "float32";
            const data = readNumbers(type, encoding.value ?? new Uint8Array());
            return [name, { data, dtype: type }];
          }),
        ),
      })),
      loss_fn: message.lossFn,
      loss_fn_config: Object.keys(message.lossFnConfig).length > 0 ? message.lossFnConfig : null,
    },
  };
}

interface JsonResult {
  readonly sequences: readonly {
    readonly tokens: readonly number[];
    readonly logprobs?: readonly number[];
    readonly stop_reason: string;
  }[];
  readonly loss_fn_outputs: readonly { readonly logprobs: { readonly data: readonly number[] } }[];
}

/** Encodes a result as SkyRL 0.4.0 does; `undefined` for a result that it sends as JSON. */
export function encodeResult(route: Route, result: object): Uint8Array | undefined {
  const { sequences, loss_fn_outputs: outputs } = result as JsonResult;
  if (route === "asample")
    return toBinary(
      SampleResponseSchema,
      create(SampleResponseSchema, {
        sequences: sequences.map(({ tokens, logprobs, stop_reason: reason }) => ({
          stopReason: ["stop", "length"].indexOf(reason),
          tokens: writeNumbers("int32", tokens),
          ...(logprobs === undefined ? {} : { logprobs: writeNumbers("float32", logprobs) }),
        })),
      }),
    );
  if (route !== "forward_backward") return undefined;
  const tensors = outputs.map(({ logprobs }) => writeNumbers("float32", logprobs.data));
  const offsets = [0];
  for (const { length } of tensors) offsets.push(offsets.at(-1)! + length);
  const logprobs = {
    data: new Uint8Array(Buffer.concat(tensors)),
    offsets: writeNumbers("int64", offsets),
    dtype: 1,
  };
  return toBinary(
    ForwardBackwardOutputSchema,
    create(ForwardBackwardOutputSchema, {
      lossFnOutputs: [{ fields: { logprobs }, numDatums: BigInt(outputs.length) }],
    }),
  );
}
