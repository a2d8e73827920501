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
