import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";

import { type Finished, temporaryFolder } from "../command-line.ts";
import { configuredRegistry } from "./registry.ts";

/** Runs a client with these arguments. */
export type Run = (args: readonly string[], options?: RunOptions) => Promise<Finished>;

/** How a client is run. */
export interface RunOptions {
  /** Where, if not in the project. */
  readonly folder?: string;
  /** Sits at a terminal: given all that was printed so far, whenever there is more, and what types. */
  readonly atTerminal?: (printed: string, type: (text: string) => void) => void;
}

/** A person's machine with nothing on it: an empty home, and an empty project. */
export interface Workplace extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  /** How to run a program here, with these variables more. */
  start(command: readonly string[], variables?: Readonly<Record<string, string>>): Run;
  /** Writes a file, and makes the folders on the way to it. */
  write(path: string, text: string): Promise<void>;
}

const kept = [
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

/** Makes a workplace whose clients know the registry that this machine is configured with, and nothing else. */
export async function workplace(): Promise<Workplace> {
  const folder = await temporaryFolder();
  const [home, project] = [join(folder.path, "home"), join(folder.path, "project")];
  const { registry, certificates } = await configuredRegistry();
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(
      kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
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
  // Yarn 1 has one cache for everything that root does.
  await write(join(folder.path, ".yarnrc"), `cache-folder "${join(home, ".cache/yarn")}"\n`);
  // Else pnpm prefers versions that are older than a day, though it takes younger ones.
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
    async (args, { folder: cwd = project, atTerminal } = {}) => {
      const command = [program, ...first, ...args];
      const line = command.map((word) => `'${word}'`).join(" ");
      const [file = "", ...rest] = atTerminal ? ["script", "-qec", line, "/dev/null"] : command;
      const child = spawn(file, rest, {
        cwd,
        env: { ...env, ...variables },
        stdio: [atTerminal ? "pipe" : "ignore", "pipe", "pipe"],
        // One that asks what nobody answers does not outlive the test.
        timeout: 110_000,
        killSignal: "SIGKILL",
      });
      let [stdout, stderr] = ["", ""];
      const told = (): void => atTerminal?.(stdout + stderr, (text) => child.stdin?.write(text));
      child.stdout?.on("data", (chunk) => {
        stdout += String(chunk);
        told();
      });
      child.stderr?.on("data", (chunk) => {
        stderr += String(chunk);
        told();
      });
      const [code] = (await once(child, "close")) as [number | null];
      return { code, stdout, stderr };
    };
  return {
    home,
    project,
    start,
    write,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
