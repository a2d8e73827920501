// The manifest of an environment
export {
  environmentManifest,
  bundleFile,
  manifestFile,
  manifestSchemaVersion,
  readManifest,
} from "./manifest.ts";
export type { EnvironmentManifest, ManifestReading } from "./manifest.ts";
export { manifestLimits } from "./manifest-limits.ts";
export { subModelBudgetText } from "./sub-model-budget.ts";
export { manifestChanges } from "./manifest-changes.ts";
export type { ComparedManifest, ManifestChange } from "./manifest-changes.ts";
export { isBumpSufficient, requiredBump } from "./version-bump.ts";
export type { RequiredBump, VersionBump } from "./version-bump.ts";
export type { ChatMessage } from "./manifest-fields.ts";

// The file of a suite
export { readSuiteFile, suiteFile } from "./suite.ts";
export type { SuiteEntry, SuiteInput, SuiteReading } from "./suite.ts";

// A client of the hub
export { hubClient, requestHub } from "./client.ts";
export type { CallOptions, HubClient, HubClientOptions, HubRequest } from "./client.ts";
export { HubRequestError, isHubRequestError } from "./hub-request-error.ts";
export type { ClientErrorCode } from "./hub-request-error.ts";

// The contract: the input and output of each route
export { problem } from "./contract/route.ts";
export type { Route, RouteInput, RouteOutput } from "./contract/route.ts";
export { routes } from "./contract/routes.ts";
export type { Routes } from "./contract/routes.ts";
export type { Invitation, Profile, User } from "./contract/accounts.ts";
export type { Advisory } from "./contract/advisories.ts";
export type { Organisation } from "./contract/organisations.ts";
export type { Comparison, Dependent, PackageDetail, VersionDetail } from "./contract/packages.ts";
export type { PackageSummary, SearchResults } from "./contract/search.ts";
export { eventTypes } from "./contract/events.ts";
export type { EventType, HubEvent } from "./contract/events.ts";
export type { Board, DeclaredRuns, LeaderboardRow } from "./contract/runs.ts";
export type { HubPlay } from "./contract/hub-plays.ts";
export type { FirstDifference, Rescoring } from "./contract/rescoring.ts";
export type { RewardComparison } from "./contract/reward-diff.ts";
export { declaredDetails } from "./contract/run-declaration.ts";
export type { RunDeclaration } from "./contract/run-declaration.ts";
export { runPrice } from "./contract/run-fields.ts";
export type { Run, RunBadge } from "./contract/run-fields.ts";
export type { RunSummary } from "./contract/run-summary.ts";
export type { SuiteMember, SuiteRow } from "./contract/suites.ts";
export type { RolloutEntry } from "./contract/rollouts.ts";
export { runLimits } from "./contract/run-fields.ts";
export type { RunPart, RunUpload, RunUploadState } from "./contract/run-upload.ts";
