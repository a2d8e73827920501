import * as z from "zod";

import { capabilities } from "./responses.ts";
import { ServiceClient } from "./service-client.ts";
import { type Dialect, findDialect } from "./service-dialect.ts";

/** The description that a service gives of itself. */
export interface ServiceDescription {
  /** Name and version of the server, such as `Tinker API Mock 0.0.1`. Undefined if it does not report them. */
  readonly software: string | undefined;
  /** Undefined if the service does not show it. */
  readonly dialect: Dialect | undefined;
  readonly models: readonly {
    readonly name: string;
    /** Undefined if the service does not report it. */
    readonly contextLength: number | undefined;
  }[];
  /** Undefined if the service does not list them. */
  readonly losses: readonly string[] | undefined;
  /** Whether trained adapters can be downloaded. Undefined if the service does not list its routes. */
  readonly hasArchives: boolean | undefined;
}

const openApi = z.object({
  info: z.object({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.unknown()),
});

/** Asks a service for its models, losses, dialect and routes. It costs nothing, and needs no model. */
export async function describeService(
  baseURL: string,
  apiKey: string | undefined,
): Promise<ServiceDescription> {
  const { signal } = new AbortController();
  const client = new ServiceClient({ baseURL, apiKey, retries: 2, signal });
  const { supported_models: models, supported_loss_fns: losses } = await client.request({
    route: "get_server_capabilities",
    response: capabilities,
  });
  const api = await readOpenApi(client.baseURL);
  return {
    software: api && `${api.info.title} ${api.info.version}`,
    dialect: await findDialect(client),
    models: models.flatMap(({ model_name: name, max_context_length: length }) =>
      name ? [{ name, contextLength: length ?? undefined }] : [],
    ),
    losses: losses ?? undefined,
    hasArchives: api && Object.keys(api.paths).some((path) => path.endsWith("/archive")),
  };
}

/** The description that servers written with FastAPI publish; `undefined` if the server does not. */
async function readOpenApi(baseURL: string): Promise<z.output<typeof openApi> | undefined> {
  try {
    const response = await fetch(`${baseURL}/openapi.json`, { signal: AbortSignal.timeout(5000) });
    return openApi.parse(await response.json());
  } catch {
    return undefined;
  }
}
