export { packPath } from "./copy/pack.ts";
export { unpackInto } from "./copy/unpack.ts";
export { docker } from "./docker/docker.ts";
export type { DockerOptions } from "./docker/docker.ts";
export type { ContainerOptions, Service, ServiceState } from "./container.ts";
export type { Dial } from "./network/dial.ts";
export type {
  Command,
  CopyOutOptions,
  CopyOutResult,
  ExecOptions,
  ExecResult,
  HealthCheck,
  ImageSource,
  Leftover,
  Machine,
  MachineOptions,
  MachineProvider,
  MachineService,
  MachineTraits,
  Network,
  OutputStream,
  PrepareOptions,
  RefusedPath,
  Resources,
} from "./machine.ts";
