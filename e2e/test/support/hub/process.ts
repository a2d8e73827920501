import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const bin = join(import.meta.dirname, "../../../../hub-server/dist/bin.js");

/** The built hub in its own process. */
export interface HubProcess extends AsyncDisposable {
  /** `http://localhost:…`, because some clients require TLS for other names. */
  readonly url: string;
  readonly child: ChildProcess;
  /** The URL of the form for the first account; `undefined` if an account exists. */
  readonly invitation: string | undefined;
  /** Ends it with SIGKILL, as a power failure would. */
  kill(): Promise<void>;
}

/** The data folder, arguments and variables of a hub. */
export interface HubOptions {
  readonly data: string;
  readonly args?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** Starts a hub and waits until it has printed its whole greeting. */
export async function startHub({ data, args = [], variables }: HubOptions): Promise<HubProcess> {
  const child = spawn(process.execPath, [bin, "start", "--data", data, "--port", "0", ...args], {
    env: { ...process.env, HUB_LOG: "error", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit");
  let printed = "";
  const isStarted = new Promise<boolean>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        printed += String(chunk);
        if (printed.includes("To install from this hub")) resolve(true);
      });
    void exit.then(() => resolve(false));
  });
  if (!(await isStarted)) throw new Error(`Cannot start the hub:\n${printed}`);
  const port = /running at http:\/\/[^:]+:(\d+)/.exec(printed)?.[1];
  if (port === undefined) throw new Error(`The hub did not print its URL:\n${printed}`);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exit;
  };
  const url = `http://localhost:${port}`;
  const path = /Create the first account.*?: http:\/\/[^/]+(\/\S+)/.exec(printed)?.[1];
  return {
    url,
    child,
    invitation: path && `${url}${path}`,
    kill: () => end("SIGKILL"),
    [Symbol.asyncDispose]: () => end("SIGTERM"),
  };
}
