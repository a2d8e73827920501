const isSource = import.meta.url.endsWith(".ts");

/** A module of this folder that runs in its own process or thread. */
export function moduleUrl(name: string): URL {
  return new URL(`${name}.${isSource ? "ts" : "js"}`, import.meta.url);
}

/** Options of Node for such a module. From source, it loads environments from source too. */
export const moduleExecArgv: string[] | undefined = isSource
  ? ["--conditions=@envs/source"]
  : undefined;
