import type { BundleMethods, BundleRequest, BundleResponse } from "./methods.ts";

/** The methods of a bundle in another realm: a worker, a sandbox. Each rejects with a {@link BundleError}. */
export type BundleClient = {
  readonly [Method in keyof BundleMethods]: (
    params: Parameters<BundleMethods[Method]>[0],
  ) => Promise<Awaited<ReturnType<BundleMethods[Method]>>>;
};

/** Why a bundle did not answer a request. */
export class BundleError extends Error {
  override readonly name = "BundleError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const methods: readonly (keyof BundleMethods)[] = [
  "describe",
  "examples",
  "start",
  "respond",
  "advise",
  "score",
  "close",
  "replay",
];

/** Creates a client from a function that sends the text of a request and resolves to the text of the response. */
export function bundleClient(send: (request: string) => Promise<string>): BundleClient {
  const call =
    (method: keyof BundleMethods) =>
    async (params: unknown): Promise<unknown> => {
      const request: BundleRequest = { method, params };
      const response = JSON.parse(await send(JSON.stringify(request))) as BundleResponse;
      if (response.error === undefined) return response.result;
      throw new BundleError(response.error.code, response.error.message);
    };
  return Object.fromEntries(methods.map((method) => [method, call(method)])) as never;
}
