import type { Command, HealthCheck, ImageSource, Resources } from "./machine.ts";

/** A container of a machine: the agent's own, or a service beside it. */
export interface ContainerOptions {
  readonly image: ImageSource;
  /** Variables of every command. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The user of commands. Default: the user of the image. */
  readonly user?: string | undefined;
  /** The working directory of commands. Default: that of the image. */
  readonly workdir?: string | undefined;
  /** Replaces the entrypoint of the image. */
  readonly entrypoint?: readonly string[] | undefined;
  readonly resources?: Resources | undefined;
  readonly healthCheck?: HealthCheck | undefined;
  /** The services that are ready before this container starts. */
  readonly after?: Readonly<Record<string, ServiceState>> | undefined;
  /** Folders that containers of the machine share, by their path: `{ "/data": "database" }`. They end with the machine. */
  readonly volumes?: Readonly<Record<string, string>> | undefined;
  /** Files and folders of this computer that are copied in before the start, by their path inside. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

/** How far a service must be before another container starts. `completed`: its main process has ended with 0. */
export type ServiceState = "started" | "healthy" | "completed";

/** A container beside the machine, such as a database. Its name is its host name for the other containers. */
export interface Service extends ContainerOptions {
  /** Replaces the command of the image. */
  readonly command?: Command | undefined;
}
