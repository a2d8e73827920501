import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";

import { type Finished, temporaryFolder } from "../command-line.ts";
import { configuredRegistry } from "./registry.ts";

/** Runs a client with these arguments. */
export type Run = (args: readonly string[], options?: RunOptions) => Promise<Finished>;

/** Where and how to run a client. */
export interface RunOptions {
  /** The working folder; by default, the project. */
  readonly folder?: string;
  /** Ends a client that waits for input. Default: 110 seconds. */
  readonly timeoutMs?: number;
  /** Runs the client in a terminal. Called after each output with all output so far and a function that types. */
  readonly atTerminal?: (printed: string, type: (text: string) => void) => void;
}

/** A user's empty machine: a home folder and a project. */
export interface Workplace extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  /** The environment variables of its programs. */
  readonly variables: NodeJS.ProcessEnv;
  /** Prepares a program to run here with additional variables. */
  start(command: readonly string[], variables?: Readonly<Record<string, string>>): Run;
  /** Writes a file and creates its parent folders. */
  write(path: string, text: string): Promise<void>;
}

const inheritedVariables = [
  "LANG",
  "NODE_COMPILE_CACHE",
  "NODE_EXTRA_CA_CERTS",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "TMPDIR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
];

/** Creates a workplace. Its clients use this machine's registry and otherwise their defaults. */
export async function createWorkplace(): Promise<Workplace> {
  const folder = await temporaryFolder();
  const [home, project] = [join(folder.path, "home"), join(folder.path, "project")];
  const { registry, certificates } = await configuredRegistry();
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(
      inheritedVariables.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
    ),
    HOME: home,
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    NO_COLOR: "1",
    CI: "1",
  };
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  await write(
    join(home, ".npmrc"),
    [`registry=${registry}`, ...(certificates ? [`cafile=${certificates}`] : []), ""].join("\n"),
  );
  await write(
    join(home, ".yarnrc.yml"),
    [
      `npmRegistryServer: ${JSON.stringify(registry)}`,
      ...(certificates ? [`httpsCaFilePath: ${JSON.stringify(certificates)}`] : []),
      "enableTelemetry: false",
      "npmMinimalAgeGate: 0",
      "unsafeHttpWhitelist: [127.0.0.1, localhost]",
      "",
    ].join("\n"),
  );
  // Yarn 1 has one cache for all processes of root.
  await write(join(folder.path, ".yarnrc"), `cache-folder "${join(home, ".cache/yarn")}"\n`);
  // By default, pnpm prefers versions that are older than a day.
  await write(join(home, ".config/pnpm/config.yaml"), "minimumReleaseAge: 0\n");
  await write(
    join(project, "package.json"),
    JSON.stringify({ name: "project", version: "0.0.0", private: true, type: "module" }),
  );

  const start =
    (
      [program = "", ...first]: readonly string[],
      variables?: Readonly<Record<string, string>>,
    ): Run =>
    async (args, { folder: cwd = project, timeoutMs = 110_000, atTerminal } = {}) => {
      const command = [program, ...first, ...args];
      const line = command.map((word) => `'${word}'`).join(" ");
      const [file = "", ...rest] = atTerminal ? ["script", "-qec", line, "/dev/null"] : command;
      const child = spawn(file, rest, {
        cwd,
        env: { ...env, ...variables },
        stdio: [atTerminal ? "pipe" : "ignore", "pipe", "pipe"],
        timeout: timeoutMs,
        killSignal: "SIGKILL",
      });
      let [stdout, stderr] = ["", ""];
      const notify = (): void => atTerminal?.(stdout + stderr, (text) => child.stdin?.write(text));
      child.stdout?.on("data", (chunk) => {
        stdout += String(chunk);
        notify();
      });
      child.stderr?.on("data", (chunk) => {
        stderr += String(chunk);
        notify();
      });
      const [code] = (await once(child, "close")) as [number | null];
      return { code, stdout, stderr };
    };
  return {
    home,
    project,
    variables: env,
    start,
    write,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
