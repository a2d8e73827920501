import type { HubErrorEntry } from "./hub-error.ts";

/** Errors of package.json, of an environment's manifest, and of a signed provenance statement. */
export const contentErrors = {
  "package-json-missing": {
    status: 422,
    what: "The tarball has no `package/package.json`.",
    why: "Clients cannot install a package without it.",
    fix: "Pack the package with `npm pack`.",
  },
  "package-json-invalid": {
    status: 422,
    what: "package.json cannot be read.",
    why: "It is not a JSON object, has duplicate keys, or exceeds the hub's size limit; the message states which.",
    fix: "Correct package.json and publish again.",
  },
  "package-json-field": {
    status: 422,
    what: "A field of package.json has the wrong type.",
    why: "Clients would fail to install the package; the message lists the fields.",
    fix: "Correct the fields and publish again.",
  },
  "package-private": {
    status: 422,
    what: "package.json is marked as private.",
    why: "`private: true` prevents publication.",
    fix: 'Remove the field. For a package with restricted access, set `publishConfig.access` to `"restricted"`.',
  },
  "install-script": {
    status: 422,
    what: "The package would run code during installation.",
    why: "It has `preinstall`, `install`, `postinstall` or `binding.gyp`. The hub does not accept install scripts.",
    fix: "Build before you publish, and remove the script.",
  },
  "dependency-name": {
    status: 422,
    what: "A dependency has an invalid name.",
    why: "npm's rules for package names do not allow it, so a registry cannot have such a package.",
    fix: "Correct the name in package.json.",
  },
  "dependency-source": {
    status: 422,
    what: "A dependency does not come from a registry.",
    why: "It is a URL, a git repository, a file or a workspace reference, which audits do not cover.",
    fix: "Depend on a published version, such as `^1.2.3`.",
  },
  "dependency-alias": {
    status: 422,
    what: "An alias installs a package under another package's name.",
    why: "Package managers hoist it, and other packages would load it in place of the package with that name.",
    fix: "Depend on the package by its own name, or choose an alias in your package's scope.",
  },
  "dependency-bundled": {
    status: 422,
    what: "The package bundles its dependencies.",
    why: "Audits and lockfiles do not cover bundled packages.",
    fix: "Remove `bundleDependencies`; list the packages in `dependencies`.",
  },
  "bin-invalid": {
    status: 422,
    what: "A command in `bin` is not valid.",
    why: "Its name contains unsupported characters, or its file is outside the package.",
    fix: "Correct `bin` in package.json.",
  },
  "manifest-invalid": {
    status: 422,
    what: "`envs.manifest.json` does not match its schema.",
    why: "It was edited, or written by another version of `envs`.",
    fix: "Write it again with `envs build`.",
  },
  "manifest-package": {
    status: 422,
    what: "`envs.manifest.json` describes another package or version.",
    why: "The name or version in package.json changed after the manifest was written.",
    fix: "Write it again with `envs build`.",
  },
  "manifest-content": {
    status: 422,
    what: "`envs.manifest.json` describes other files than the tarball contains.",
    why: "Files changed after the manifest was written; its content hash is stale.",
    fix: "Run `envs build`, then publish.",
  },
  "attestation-not-taken": {
    status: 422,
    what: "The hub does not accept provenance statements.",
    why: "Its operator has not configured Sigstore's trusted root.",
    fix: "Publish without `--provenance`, or ask the operator to set `HUB_SIGSTORE_ROOT`.",
  },
  "attestation-invalid": {
    status: 422,
    what: "The signed statement is not a provenance statement.",
    why: "It is not a Sigstore bundle with an SLSA 0.2 or 1 predicate about one package.",
    fix: "Sign with `npm publish --provenance`.",
  },
  "attestation-subject": {
    status: 422,
    what: "The signed statement describes another package, version or tarball.",
    why: "The package changed after it was signed.",
    fix: "Publish and sign in one step: `npm publish --provenance`.",
  },
  "attestation-untrusted": {
    status: 422,
    what: "The signature of the statement cannot be verified.",
    why: "The hub does not trust the authority that issued the certificate, or the certificate does not name a repository.",
    fix: "Sign in GitHub Actions or GitLab CI, with Sigstore's public instance or one that the operator trusts.",
  },
  "attestation-repository": {
    status: 422,
    what: "The package was built in another repository than package.json names.",
    why: "A provenance statement must match the `repository` field.",
    fix: "Set `repository` in package.json to the repository of the build.",
  },
} as const satisfies Record<string, HubErrorEntry>;
