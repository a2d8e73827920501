import type { HubErrorEntry } from "./hub-error.ts";

/** Errors of evaluations and trainings that users push. */
export const runErrors = {
  "run-not-environment": {
    status: 400,
    what: "The package version is not an environment, so it has no runs.",
    why: "The version has no `envs.manifest.json`.",
    fix: "Run `envs build`, publish a new version, and evaluate that version.",
  },
  "run-integrity": {
    status: 409,
    what: "The run was not played on the published version.",
    why: "The integrity or the content hash differs from the version's: the local package was edited, or is from another hub.",
    fix: "Install the published version and evaluate it, or publish your changes first.",
  },
  "run-exists": {
    status: 409,
    what: "The same run is already on the hub.",
    why: "Another user pushed the same rollouts with the same description.",
    fix: "Open the run that the message names. Push your own run.",
  },
  "run-too-large": {
    status: 413,
    what: "The run has more rollouts or bytes than the hub accepts.",
    why: "The message states the limit, which the operator sets.",
    fix: "Evaluate fewer examples in each run, or ask the operator to raise the limit.",
  },
  "too-many-runs": {
    status: 429,
    what: "The account exceeded the rate limit of runs.",
    why: "The message states the limit, which the operator sets.",
    fix: "Wait for the seconds in the `retry-after` header, or ask the operator to raise the limit.",
  },
  "run-part-invalid": {
    status: 400,
    what: "The part of the run is not what its description announced.",
    why: "It is not gzip, or its length, number of lines or hash differs: the transfer was damaged.",
    fix: "Send the part again. The upload continues.",
  },
  "run-record-invalid": {
    status: 400,
    what: "A line of the run is not a valid rollout of this environment. The hub deleted the upload.",
    why: "The message states the line and the problem, such as a reward that is not the weighted sum of its scores.",
    fix: "Correct or repeat the evaluation, and push it again.",
  },
  "run-totals": {
    status: 400,
    what: "The totals of the run differ from those of its rollouts. The hub deleted the upload.",
    why: "The hub computes every number from the rollouts, and the client announced others.",
    fix: "Push the run again with the current version of `envs`.",
  },
  "run-incomplete": {
    status: 409,
    what: "The run cannot be completed yet.",
    why: "Some of its parts are missing.",
    fix: "Push the run again. `envs run push` sends only the missing parts.",
  },
} as const satisfies Record<string, HubErrorEntry>;
