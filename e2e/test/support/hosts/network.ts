import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { join } from "node:path";

const bin = join(import.meta.dirname, "../../../../packages/cli/src/bin.ts");

/** A host: a network namespace with one link to the bridge. */
export interface Host {
  readonly name: string;
  /** Starts the built command line on this host. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess;
  /** Cuts the link, without closing connections: packets are lost. */
  cut(): void;
  heal(): void;
  /** Limits what the host receives and sends, in kbit per second. */
  slow(rate: number): void;
}

export interface HostNetwork extends Disposable {
  /** The address of this machine, as hosts see it. */
  readonly address: string;
  readonly hosts: readonly Host[];
}

/** Connects hosts by a bridge. Needs root and iproute2. */
export function hostNetwork(count: number): HostNetwork {
  const id = String(process.pid);
  const subnet = `10.${200 + (process.pid % 50)}.${Math.floor(process.pid / 50) % 250}`;
  const bridge = `eb${id}`;
  ip("link", "add", bridge, "type", "bridge");
  ip("addr", "add", `${subnet}.1/24`, "dev", bridge);
  ip("link", "set", bridge, "up");
  const hosts = Array.from({ length: count }, (_, index): Host => {
    const name = `envs-${id}-${index}`;
    const [outer, inner] = [`eo${id}${index}`, `ei${id}${index}`];
    ip("netns", "add", name);
    ip("link", "add", outer, "type", "veth", "peer", "name", inner);
    ip("link", "set", inner, "netns", name);
    ip("link", "set", outer, "master", bridge, "up");
    ip("-n", name, "addr", "add", `${subnet}.${index + 10}/24`, "dev", inner);
    ip("-n", name, "link", "set", "lo", "up");
    ip("-n", name, "link", "set", inner, "up");
    const limit = ["root", "tbf", "burst", "32kbit", "latency", "2s", "rate"];
    return {
      name,
      start: (args, env = {}) =>
        spawn("ip", ["netns", "exec", name, process.execPath, bin, ...args], {
          cwd: join(import.meta.dirname, "../../.."),
          env: { ...process.env, NO_COLOR: "1", OPENAI_API_KEY: "", OPENAI_BASE_URL: "", ...env },
          stdio: ["ignore", "pipe", "pipe"],
        }),
      cut: () => ip("link", "set", outer, "down"),
      heal: () => ip("link", "set", outer, "up"),
      slow(rate) {
        execFileSync("tc", ["qdisc", "add", "dev", outer, ...limit, `${rate}kbit`]);
        const inside = ["netns", "exec", name, "tc", "qdisc", "add", "dev", inner];
        ip(...inside, ...limit, `${rate}kbit`);
      },
    };
  });
  return {
    address: `${subnet}.1`,
    hosts,
    [Symbol.dispose]() {
      for (const { name } of hosts) ip("netns", "del", name);
      ip("link", "del", bridge);
    },
  };
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args);
}
