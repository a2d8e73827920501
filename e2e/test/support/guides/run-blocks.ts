import { spawn } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { ShellBlock } from "../../../../tooling/test/support/shell-blocks.ts";
import type { Machine } from "./machine.ts";

/** The programs and servers that a guide's shell session needs beside the machine. */
export interface SessionOptions {
  /** Addresses in documents, with the addresses of the test servers that replace them. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  /** Called with the text that the commands have printed so far. */
  readonly onOutput: (printed: string) => void;
}

/** The result of a session. */
export interface SessionResult {
  readonly code: number | null;
  /** The output, with a line `::: <place>` before each block. */
  readonly printed: string;
}

/**
 * Servers run in the background once they have printed an address, until the session ends. `envs` is the clone's, by the
 * path that the guide "Get the command" sets. After this guide, `npx -y pnpm@12` runs the pnpm that it downloaded.
 */
const prelude = `
set -euo pipefail
server() {
  local log; log=$(mktemp)
  "$@" > "$log" 2>&1 &
  for _ in $(seq 1200); do
    grep -q 'http://' "$log" && { sleep 0.2; cat "$log"; return 0; }
    kill -0 $! 2>/dev/null || break
    sleep 0.1
  done
  cat "$log"
  return 1
}
envs() {
  case "$1" in
    serve) server command envs "$@" ;;
    *) command envs "$@" ;;
  esac
}
npx() {
  if [ "$1 \${2-}" = "-y pnpm@12" ] && [ -n "\${DOWNLOADED_PNPM-}" ]; then "$DOWNLOADED_PNPM" "\${@:3}"
  else command npx "$@"; fi
}
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
`;

/** Runs the blocks of one document in one shell, from the clone's folder. */
export async function runBlocks(
  { clone, root, variables }: Machine,
  blocks: readonly ShellBlock[],
  options: SessionOptions,
): Promise<SessionResult> {
  const parts: string[] = [];
  for (const { place, text, isInEmptyFolder, files } of blocks) {
    parts.push(`echo '::: ${place}'`);
    if (isInEmptyFolder) parts.push(`cd '${await mkdtemp(join(root, "folder-"))}'`);
    for (const { target, source } of files) parts.push(`cp '${join(clone, source)}' '${target}'`);
    parts.push(withAddresses(withSmallCounts(text), options.addresses));
  }
  const folder = await mkdtemp(join(root, "session-"));
  const script = join(folder, "blocks.sh");
  await writeFile(script, [prelude, ...parts, ""].join("\n"));
  const child = spawn("bash", [script], {
    cwd: clone,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...variables, ...options.variables },
    detached: true,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      printed += String(chunk);
      options.onOutput(printed);
    });
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  // Servers inherit neither output nor terminal, but belong to the group.
  try {
    process.kill(-child.pid!, "SIGKILL");
  } catch {
    // The process group has ended.
  }
  return { code, printed };
}

/** Plays 40 examples instead of hundreds, and 4 with a tiny model, which show the same of a command. */
function withSmallCounts(text: string): string {
  return text.replaceAll(/(?<= -n )\d{3,}\b/g, "40").replaceAll(/(?<=-m tiny:\w+ -n )\d+\b/g, "4");
}

/** `…` stands for a secret. */
function withAddresses(text: string, addresses: Readonly<Record<string, string>>): string {
  let replaced = text.replaceAll("=…", "=secret");
  for (const [address, actual] of Object.entries(addresses))
    replaced = replaced.replaceAll(address, actual);
  return replaced;
}
