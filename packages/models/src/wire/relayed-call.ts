import type { ModelRequest } from "@envs/core";
import type { RelayedCall } from "@envs/core/engine";

import type { ServerOptions } from "./server-target.ts";
import type { Wire, WireBody } from "./wire.ts";

/** The call to pass on as its client has made it; `undefined` if the server would receive something else than the request. */
export function relayedCall<Options extends ServerOptions>(
  request: ModelRequest,
  wire: Wire<Options>,
  options: Options,
): RelayedCall | undefined {
  const { relay, messages, tools, toolChoice, format } = request;
  if (relay?.dialect !== wire.dialect || !relay.isComplete) return undefined;
  const { read } = relay;
  const isUnchanged =
    messages === read.messages &&
    tools === read.tools &&
    toolChoice === read.toolChoice &&
    format === read.format;
  return isUnchanged && wire.isRewritten?.(request, options) !== true ? relay : undefined;
}

interface RelayContext<Options extends ServerOptions> {
  readonly wire: Wire<Options>;
  readonly bodyOf: (request: ModelRequest) => WireBody;
}

/** The body of a relayed call: the client's, with the model, the sampling and the fields that this package sets. */
export function relayedBody<Options extends ServerOptions>(
  request: ModelRequest,
  { body, isStream }: Pick<RelayedCall, "body" | "isStream">,
  { wire, bodyOf }: RelayContext<Options>,
): WireBody {
  const { clientFields, replacedFields, nestedFields, streamFields } = wire;
  const unasked = { messages: [], tools: undefined, toolChoice: undefined, format: undefined };
  const own = without(bodyOf({ ...request, ...unasked }), clientFields);
  const sent = without(body, replacedFields ?? []);
  const merged = extendBody(sent, own, nestedFields);
  return isStream ? { ...merged, ...streamFields(body) } : merged;
}

function without(body: WireBody, names: readonly string[]): WireBody {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** Adds fields to a body, except for those that are `undefined`. The fields of `nested` ones are merged. */
export function extendBody(
  body: WireBody,
  more: WireBody | undefined = {},
  nested: readonly string[] = [],
): WireBody {
  const added = Object.entries(more)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const before = body[name];
      const isMerged = nested.includes(name) && isObject(before) && isObject(value);
      return [name, isMerged ? extendBody(before, value) : value] as const;
    });
  return { ...body, ...Object.fromEntries(added) };
}

function isObject(value: unknown): value is WireBody {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
