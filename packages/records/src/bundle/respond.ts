import type { EnvironmentFactory } from "@envs/core";
import { isConfigError, isRolloutError, messageOf } from "@envs/core/engine";

import { bundleMethods } from "./bundle-methods.ts";
import type { BundleMethods, BundleRequest, BundleResponse } from "./methods.ts";

/**
 * Creates the function that the bundle of an environment exports: it takes a {@link BundleRequest} as JSON and returns a
 * {@link BundleResponse} as JSON. It never rejects.
 */
export function bundleRequests(factory: EnvironmentFactory): (request: string) => Promise<string> {
  const methods = bundleMethods(factory);
  return async (request) => JSON.stringify(await respond(methods, request));
}

async function respond(methods: BundleMethods, text: string): Promise<BundleResponse> {
  try {
    const { method, params } = JSON.parse(text) as BundleRequest;
    if (!Object.hasOwn(methods, method))
      return error("config", `A bundle has no method ${JSON.stringify(method)}.`);
    const call = methods[method] as (params: unknown) => unknown;
    return { result: await call(params) };
  } catch (thrown) {
    if (isRolloutError(thrown)) return error(thrown.code, thrown.message);
    return error(isConfigError(thrown) ? "config" : "environment", messageOf(thrown));
  }
}

function error(code: string, message: string): BundleResponse {
  return { error: { code, message } };
}
