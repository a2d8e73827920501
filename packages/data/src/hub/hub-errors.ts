import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import { NetworkError, ResponseError } from "../files/request.ts";
import type { DatasetReference } from "./reference.ts";
import type { HubSettings } from "./settings.ts";

/** Converts the error of a request for a dataset to one with a remedy for its reader. */
export function hubError(error: unknown, dataset: DatasetReference, settings: HubSettings): Error {
  const options = { cause: error };
  if (error instanceof NetworkError)
    return new ConfigError(
      `Cannot reach ${settings.endpoint} for the dataset ${dataset.name}: ${error.message}.\n${withoutHub(dataset, settings)}`,
      [],
      options,
    );
  if (!(error instanceof ResponseError))
    return error instanceof Error ? error : new Error(messageOf(error));
  return new ConfigError(responseProblem(error, dataset, settings), [], options);
}

function responseProblem(
  error: ResponseError,
  dataset: DatasetReference,
  settings: HubSettings,
): string {
  const { name, revision } = dataset;
  const { endpoint, token } = settings;
  const code = error.headers.get("x-error-code");
  const page = `${endpoint}/datasets/${name}`;
  const login = `set HF_TOKEN to a token of your account (${endpoint}/settings/tokens)`;
  if (code === "GatedRepo")
    return `The dataset ${name} is gated (${error.message}). Open ${page}, accept its conditions, then ${login}${token === undefined ? "" : " that has been granted access"}.`;
  if (code === "RevisionNotFound")
    return `The dataset ${name} has no revision ${JSON.stringify(revision)} (${error.message}). Its branches and tags are listed at ${page}/tree/main.`;
  if (error.status === 401 || error.status === 403)
    return token === undefined
      ? `${endpoint} refuses the dataset ${name} without a token (${error.message}). Check its name at ${page}; if it is private or gated, ${login}.`
      : `${endpoint} refuses the dataset ${name} to the token of HF_TOKEN (${error.message}). Renew the token, or request access at ${page}.`;
  if (error.status === 404)
    return `The dataset ${name} does not exist on ${endpoint}, or your token may not read it (${error.message}). A name has the form owner/name: check it at ${page}.`;
  return `${endpoint} keeps failing for the dataset ${name} (${error.message}). Try again later.\n${withoutHub(dataset, settings)}`;
}

/** How to read a dataset without a connection to the hub. */
export function withoutHub({ name }: DatasetReference, { cache }: HubSettings): string {
  return `It is not in the cache ${cache} either. Check the network, or set HF_ENDPOINT to a mirror. To read a copy, run \`hf download ${name} --repo-type dataset --local-dir datasets/${name}\` on a connected machine and set ENVS_DATASETS=datasets. Authors can pass \`folder: "datasets/${name}"\` to huggingFace().`;
}
