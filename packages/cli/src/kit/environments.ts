export type { DescribePublished } from "../commands/info.ts";
export { configFromArguments, withConfigFlags } from "../environments/config-arguments.ts";
export {
  configArguments,
  configOptions,
  configSchema,
  optionsOfSchema,
  readConfig,
} from "../environments/config-options.ts";
export { describeSeats } from "../environments/describe-seats.ts";
export {
  bestPolicyOf,
  describeEnvironment,
  exampleRollout,
  scoreWeights,
  trainingSplit,
} from "../environments/describe.ts";
export { changedFiles, environmentFiles } from "../environments/environment-files.ts";
export type { EnvironmentFiles } from "../environments/environment-files.ts";
export { installVersions } from "../environments/hub-versions.ts";
export type { FindVersion, HubVersions } from "../environments/hub-versions.ts";
export { installVersion } from "../environments/install-version.ts";
export { loadEnvironment, pathOf } from "../environments/load-environment.ts";
export type { LoadedEnvironment } from "../environments/loaded-environment.ts";
export { mapReference } from "../environments/mix-reference.ts";
export { isStale, packageHash, packedFiles } from "../environments/package-content.ts";
export { packageRoot, readPackageJson } from "../environments/package-json.ts";
export type { PackageJson } from "../environments/package-json.ts";
export { sourceCommands } from "../environments/source-package.ts";
export type { BrowserPlay, PlayInBrowser } from "../play/browser-play.ts";
