// The manifest of an environment
export { environmentManifest, manifestFile, manifestSchemaVersion } from "./manifest.ts";
export type { EnvironmentManifest } from "./manifest.ts";
export { manifestLimits } from "./bounds.ts";
export { readManifest } from "./read-manifest.ts";
export type { ManifestReading } from "./read-manifest.ts";
export type { ChatMessage } from "./chat-message.ts";

// What is in a package
export { contentHashOf, packageContentHash } from "./content-hash.ts";
export type { HashedFile, PackageFile } from "./content-hash.ts";

// A client of the hub
export { hubClient } from "./client.ts";
export type { CallOptions, HubClient, HubClientOptions } from "./client.ts";
export { askHub } from "./ask-hub.ts";
export type { HubRequest } from "./ask-hub.ts";
export { HubRequestError, isHubRequestError } from "./hub-request-error.ts";
export type { ClientErrorCode } from "./hub-request-error.ts";

// The contract: what each route takes and answers
export { problem } from "./contract/route.ts";
export type { Route, RouteAnswer, RouteInput } from "./contract/route.ts";
export { routes } from "./contract/routes.ts";
export type { Routes } from "./contract/routes.ts";
export type { Profile } from "./contract/accounts.ts";
export type { Advisory } from "./contract/advisories.ts";
export type { Organisation } from "./contract/organisations.ts";
export type { PackageDetail, VersionDetail } from "./contract/packages.ts";
export type { PackageSummary, SearchResults } from "./contract/search.ts";
export { eventTypes } from "./contract/events.ts";
export type { EventType, HubEvent } from "./contract/events.ts";
export type { Invitation, User } from "./contract/users.ts";
export type { Webhook } from "./contract/webhooks.ts";
