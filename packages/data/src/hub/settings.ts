import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Settings from the variables of Python's huggingface_hub: one configuration serves both languages. */
export interface HubSettings {
  /** `HF_ENDPOINT`, without a slash at its end. */
  readonly endpoint: string;
  /** `HF_TOKEN`, or the token that `hf auth login` saved. */
  readonly token: string | undefined;
  /** The cache folder: `HF_HUB_CACHE`, or `hub` in `HF_HOME`. */
  readonly cache: string;
  /** `HF_HUB_OFFLINE`: no requests, only the cache. */
  readonly isOffline: boolean;
  /** `HF_HUB_DOWNLOAD_TIMEOUT`, in milliseconds: after this time without a byte, a request is repeated. */
  readonly stallTimeout: number;
}

export function hubSettings(): HubSettings {
  const { env } = process;
  const caches = env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const home = env["HF_HOME"] || join(caches, "huggingface");
  const seconds = Number(env["HF_HUB_DOWNLOAD_TIMEOUT"] || 10);
  return {
    endpoint: (env["HF_ENDPOINT"] || "https://huggingface.co").replace(/\/+$/, ""),
    token: env["HF_TOKEN"] || savedToken(env["HF_TOKEN_PATH"] || join(home, "token")),
    cache: env["HF_HUB_CACHE"] || env["HUGGINGFACE_HUB_CACHE"] || join(home, "hub"),
    isOffline: [env["HF_HUB_OFFLINE"], env["HF_DATASETS_OFFLINE"]].some((value) =>
      /^(1|on|yes|true)$/i.test(value ?? ""),
    ),
    stallTimeout: (seconds > 0 ? seconds : 10) * 1000,
  };
}

function savedToken(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
