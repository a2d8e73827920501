/** Runs one replica on a thread of its own. */
import { isConfigError } from "@envs/core/engine";

import { host } from "#thread";

import type { Answer, Call } from "./remote-replica.ts";
import { Replica } from "./replica.ts";

let replica: Replica | undefined;

function answer({ method, argument }: Call): unknown {
  if (method === "create") {
    replica = new Replica(argument);
    return undefined;
  }
  if (replica === undefined) throw new Error("This thread has no replica yet.");
  switch (method) {
    case "sample":
      return replica.sample(argument);
    case "forward":
      return replica.forward(argument);
    case "forwardBackward":
      return replica.forwardBackward(argument.data, argument.loss);
    case "optimStep":
      return replica.optimStep(argument);
    case "readState":
      return replica.state;
    case "writeState":
      replica.state = argument;
  }
}

host.onMessage((message) => {
  const { id, call } = message as { readonly id: number; readonly call: Call };
  let reply: Answer;
  try {
    reply = { id, result: answer(call) };
  } catch (error) {
    // A copy of an error has no class any more, and some errors cannot be copied.
    const message = error instanceof Error ? error.message : String(error);
    reply = { id, error: { isConfigError: isConfigError(error), message } };
  }
  host.post(reply);
});
