import { type ErrorEntry, rolloutErrors } from "@envs/core/error-reference";
import { clientErrors, hubErrorAreas } from "@envs/hub-client/error-reference";
import { frameErrors, serveErrors } from "@envs/serve/error-reference";

/** An error code with its entry. A code that two areas share has two. */
export interface ErrorExplanation extends ErrorEntry {
  readonly code: string;
  /** The part of the software that reports it. */
  readonly area: string;
  /** HTTP statuses, if the error is a response. */
  readonly statuses: readonly number[];
}

interface AreaEntry extends ErrorEntry {
  readonly status?: number;
  readonly otherStatus?: number;
}

const areas: Readonly<Record<string, Readonly<Record<string, AreaEntry>>>> = {
  Rollouts: rolloutErrors,
  "Served sessions": serveErrors,
  "OpenEnv frames": frameErrors,
  "Hub client": clientErrors,
  ...Object.fromEntries(
    Object.entries(hubErrorAreas).map(([area, entries]) => [`Hub: ${area.toLowerCase()}`, entries]),
  ),
};

/** Every error code, by area. */
export const errorReference: readonly ErrorExplanation[] = Object.entries(areas).flatMap(
  ([area, entries]) =>
    Object.entries(entries).map(([code, { status, otherStatus, what, why, fix }]) => ({
      code,
      area,
      statuses: [status, otherStatus].filter((each) => each !== undefined),
      what,
      why,
      fix,
    })),
);
