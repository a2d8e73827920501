import type { Model, ModelRequest } from "@envs/core";
import { type ScriptedReply, scriptedModel } from "@envs/core/testing";
import { type GatewaySession, startGateway } from "@envs/gateway";

type Options = Omit<Parameters<Awaited<ReturnType<typeof startGateway>>["open"]>[0], "model">;

interface TestSession extends AsyncDisposable {
  readonly session: GatewaySession;
  /** The requests that the model received. */
  readonly requests: readonly ModelRequest[];
}

/** Starts a gateway with one session, whose model gives these replies in turn, then repeats the last. */
export async function testSession(
  replies: readonly ScriptedReply[],
  options: Options & { readonly keepAliveInterval?: number; readonly retryGrace?: number } = {},
): Promise<TestSession> {
  const requests: ModelRequest[] = [];
  const model: Model = async (request) => {
    requests.push(request);
    return scriptedModel(replies[Math.min(requests.length, replies.length) - 1]!)(request);
  };
  const { keepAliveInterval, retryGrace, ...rest } = options;
  const gateway = await startGateway({ keepAliveInterval, retryGrace });
  const session = gateway.open({ model, ...rest });
  return { session, requests, [Symbol.asyncDispose]: gateway.close };
}
