/** Runs one replica on its own thread. */
import { isConfigError, messageOf } from "@envs/core/engine";

import { parentThread } from "#thread";

import type { ReplicaCall, ReplicaCallMessage, ReplicaResultMessage } from "./remote-replica.ts";
import { Replica } from "./replica.ts";
import { packCompletions, unpackRequests } from "./sample-message.ts";

let replica: Replica | undefined;

function perform({ method, argument }: ReplicaCall): unknown {
  if (method === "create") {
    replica = new Replica(argument);
    return undefined;
  }
  if (replica === undefined) throw new Error(`The first call must be "create", not "${method}".`);
  switch (method) {
    case "sample":
      return packCompletions(replica.sample(unpackRequests(argument)));
    case "forward":
      return replica.forward(argument);
    case "backward":
      return replica.backward(argument);
    case "optimStep":
      return replica.optimStep(argument);
    case "readState":
      return replica.state;
    case "writeState":
      replica.state = argument;
  }
}

parentThread.onMessage((message) => {
  const { id, call } = message as ReplicaCallMessage;
  let reply: ReplicaResultMessage;
  try {
    reply = { id, result: perform(call) };
  } catch (error) {
    // Structured clone drops the class of an error, and throws for some errors.
    const text = messageOf(error);
    reply = { id, error: { isConfigError: isConfigError(error), message: text } };
  }
  parentThread.post(reply);
});
