import { join } from "node:path";

import { ConfigError } from "@envs/core";
import { datasetInfo, listFiles } from "@huggingface/hub";

import type { Checksum } from "../files/checksum.ts";
import { type DataFile, extensionOf } from "../files/data-file.ts";
import { download } from "../files/download.ts";
import { exists } from "../files/partial-file.ts";
import { NetworkError, request, ResponseError } from "../files/request.ts";
import { DatasetCache, isCommit, type RepositoryFile } from "./cache.ts";
import { hubError, withoutHub } from "./hub-errors.ts";
import type { DatasetReference } from "./reference.ts";
import { type HubSettings, hubSettings } from "./settings.ts";

/** The files of a dataset at one commit, or in a folder. */
export interface Repository {
  readonly name: string;
  /** The commit on the hub; a copy on this machine has a folder instead. */
  readonly commit?: string;
  readonly folder?: string;
  readonly paths: readonly string[];
  readonly fileOf: (path: string) => DataFile;
}

const opened = new Map<string, Promise<Repository>>();

/** Opens a dataset of the hub. A process sees one commit of a revision, whatever is pushed while it runs. */
export function openRepository(dataset: DatasetReference): Promise<Repository> {
  const settings = hubSettings();
  const key = JSON.stringify([settings, dataset]);
  let repository = opened.get(key);
  if (repository === undefined) {
    repository = open(dataset, settings);
    opened.set(key, repository);
    repository.catch(() => opened.delete(key));
  }
  return repository;
}

async function open(dataset: DatasetReference, settings: HubSettings): Promise<Repository> {
  const cache = new DatasetCache(settings.cache, dataset.name);
  const { commit, files } = await commitFiles(dataset, settings, cache);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    name: dataset.name,
    commit,
    paths: [...byPath.keys()],
    fileOf: (path) => {
      const name = `${dataset.name}/${path}`;
      const local = cache.snapshotPath(commit, path);
      const fetchFile = async () => {
        if (!(await exists(local)))
          await fetchInto(cache, { dataset, settings, commit, local, name }, byPath.get(path)!);
        return local;
      };
      return { name, extension: extensionOf(path), path: fetchFile };
    },
  };
}

/** The commit of a revision and its files: from the hub, or from the cache if the hub does not respond. */
async function commitFiles(
  dataset: DatasetReference,
  settings: HubSettings,
  cache: DatasetCache,
): Promise<{ commit: string; files: readonly RepositoryFile[] }> {
  const cached = async () => {
    const commit = await cache.commitOf(dataset.revision);
    const files = commit === undefined ? undefined : await cache.filesOf(commit);
    return commit === undefined || files === undefined ? undefined : { commit, files };
  };
  if (settings.isOffline || isCommit(dataset.revision)) {
    const known = await cached();
    if (known !== undefined) return known;
    if (settings.isOffline) throw offlineError(dataset, settings);
  }
  try {
    const fetchHub = hubFetch(settings);
    const hubUrl = settings.endpoint;
    const { name, revision } = dataset;
    const { sha: commit } = await datasetInfo({
      name,
      revision,
      hubUrl,
      fetch: fetchHub,
      additionalFields: ["sha"],
    });
    const repo = { type: "dataset", name } as const;
    const files: RepositoryFile[] = [];
    for await (const { type, path, size, oid, lfs } of listFiles({
      repo,
      revision: commit,
      recursive: true,
      hubUrl,
      fetch: fetchHub,
    }))
      if (type === "file") files.push({ path, size, checksum: checksumFrom(lfs?.oid, oid) });
    checkNames(dataset, commit, files);
    await cache.saveFiles(commit, files);
    await cache.saveCommit(revision, commit);
    return { commit, files };
  } catch (error) {
    const isAway =
      error instanceof NetworkError || (error instanceof ResponseError && error.status >= 500);
    const known = isAway ? await cached() : undefined;
    if (known !== undefined) return known;
    throw hubError(error, dataset, settings);
  }
}

/** Rejects names that would lead out of the cache, where they become paths. */
function checkNames(
  { name }: DatasetReference,
  commit: string,
  files: readonly RepositoryFile[],
): void {
  const escapes = files.find(
    ({ path, checksum }) =>
      path.split(/[\\/]/).some((part) => part === "" || part === "." || part === "..") ||
      (checksum !== undefined && !/^[0-9a-f]{40,64}$/.test(checksum.value)),
  );
  if (isCommit(commit) && escapes === undefined) return;
  const value = escapes === undefined ? commit : escapes.path;
  throw new ConfigError(
    `The hub returned ${JSON.stringify(value)} for the dataset ${name}, which is neither a commit nor a path. Check HF_ENDPOINT.`,
  );
}

function checksumFrom(sha256: string | undefined, blob: string | undefined): Checksum | undefined {
  if (sha256 !== undefined) return { algorithm: "sha256", value: sha256 };
  return blob === undefined ? undefined : { algorithm: "git-blob", value: blob };
}

function offlineError(dataset: DatasetReference, settings: HubSettings): ConfigError {
  return new ConfigError(
    `HF_HUB_OFFLINE is set, so no request is sent for the dataset ${dataset.name} at ${dataset.revision}.\n${withoutHub(dataset, settings)}`,
  );
}

interface FileRequest {
  readonly dataset: DatasetReference;
  readonly settings: HubSettings;
  readonly commit: string;
  readonly local: string;
  readonly name: string;
}

async function fetchInto(
  cache: DatasetCache,
  { dataset, settings, commit, local, name }: FileRequest,
  { path, size, checksum }: RepositoryFile,
): Promise<void> {
  if (settings.isOffline) throw offlineError(dataset, settings);
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const url = `${settings.endpoint}/datasets/${dataset.name}/resolve/${commit}/${encoded}`;
  const target = cache.blobPath(checksum?.value ?? `${commit}-${path.replaceAll("/", "-")}`);
  const { stallTimeout } = settings;
  try {
    await download({
      name,
      url,
      target,
      size,
      checksum,
      stallTimeout,
      headers: authorization(settings),
    });
  } catch (error) {
    throw hubError(error, dataset, settings);
  }
  await cache.link(target, local);
}

/** `fetch` for the library: retries, timeouts, and errors with the hub's codes. */
function hubFetch(settings: HubSettings): typeof fetch {
  const { endpoint, stallTimeout } = settings;
  return (input) => {
    const url = input instanceof Request ? input.url : String(input);
    // Follows the link to the next page only on the hub, because the token is for the hub alone.
    const isHub = new URL(url).origin === new URL(endpoint).origin;
    const headers = isHub ? authorization(settings) : {};
    return request(url, { headers, stallTimeout }, async (response) => {
      const body = await response.arrayBuffer();
      return new Response(body, { headers: response.headers, status: response.status });
    });
  };
}

function authorization({ token }: HubSettings): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** A copy of a dataset on this machine. */
export function folderRepository(
  name: string,
  folder: string,
  paths: readonly string[],
): Repository {
  return {
    name,
    folder,
    paths,
    fileOf: (path) => {
      const local = join(folder, path);
      return { name: local, extension: extensionOf(path), path: async () => local };
    },
  };
}
