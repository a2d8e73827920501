import { oneTokenPass } from "./loss-probe.ts";
import { anyResult } from "./responses.ts";
import type { ServiceClient } from "./service-client.ts";
import { ServiceError } from "./service-error.ts";

/** How a service takes passes through the model: as JSON, or in protobuf as Tinker's SDK sends them since 0.25. */
export type Dialect = "JSON" | "protobuf";

/**
 * Sends a pass as JSON for a model that does not exist: a service that requires protobuf rejects the content type first.
 * Computes nothing. Returns `undefined` if the response shows neither, such as a rejected API key.
 */
export async function findDialect(client: ServiceClient): Promise<Dialect | undefined> {
  const { route, body } = oneTokenPass({ loss_fn: "cross_entropy" });
  const pass = { ...body(1), model_id: "model-that-does-not-exist", seq_id: 1 };
  try {
    await client.request({ route, body: pass, response: anyResult });
    return "JSON";
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.status === 415) return "protobuf";
    const isAboutModel = error.status === 404 && !error.isUnsupported;
    return isAboutModel || error.status === 400 || error.status === 422 ? "JSON" : undefined;
  }
}
