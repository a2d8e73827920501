export { configFromArguments, withConfigFlags } from "../environments/config-arguments.ts";
export { changedFiles, environmentFiles } from "../environments/environment-files.ts";
export type { EnvironmentFiles } from "../environments/environment-files.ts";
export { loadEnvironment } from "../environments/load-environment.ts";
