import type { ComposeService } from "./schema.ts";

/** Keys that give a container rights over this computer, or that machines lack. */
const refusedKeys: Readonly<Record<string, string>> = {
  privileged: "rights over this computer",
  devices: "devices of this computer",
  cap_add: "more rights than a container has",
  security_opt: "other security settings",
  network_mode: "the network of another place",
  networks: "several networks",
  pid: "processes of another place",
  ipc: "memory of another place",
  userns_mode: "users of this computer",
  cgroup_parent: "a control group of this computer",
  volumes_from: "the volumes of another container",
  extends: "a service of another file",
  secrets: "secrets of Compose",
  configs: "configs of Compose",
  extra_hosts: "other host names",
  gpus: "a GPU",
  runtime: "another runtime",
};

/** What a service asks for that no machine gives it. */
export function problemsOf(name: string, service: ComposeService): readonly string[] {
  const keys = Object.entries(refusedKeys).flatMap(([key, what]) =>
    isAsked(key, service[key]) ? [`${name} asks for ${what} (${key})`] : [],
  );
  const ports = service.ports.filter(isPublished).map((port) => shownPort(port));
  return [
    ...keys,
    ...ports.map((port) => `${name} publishes the port ${port} on this computer (ports)`),
    ...(service.env_file === undefined ? [] : [`${name} reads variables from a file (env_file)`]),
  ];
}

function isAsked(key: string, value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (Array.isArray(value) && value.length === 0) return false;
  if (key === "network_mode") return value !== "bridge";
  return !(key === "networks" && isDefaultNetwork(value));
}

/** All services are in one network anyway. */
function isDefaultNetwork(value: unknown): boolean {
  const names = Array.isArray(value) ? value : Object.keys(value as object);
  return names.length === 1;
}

type Port = ComposeService["ports"][number];

/** `8000` only names a port of the container; `80:8000` is one of this computer. */
function isPublished(port: Port): boolean {
  if (typeof port === "object") return port["published"] !== undefined;
  return String(port).includes(":");
}

function shownPort(port: Port): string {
  return typeof port === "object" ? String(port["published"]) : String(port);
}
