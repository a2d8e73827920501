import { accessErrors } from "./access.ts";
import { accountErrors } from "./accounts.ts";
import { contentErrors } from "./content.ts";
import { documentErrors } from "./document.ts";
import { publishingErrors } from "./publishing.ts";
import { requestErrors } from "./requests.ts";
import { runErrors } from "./runs.ts";
import { tarballErrors } from "./tarball.ts";

export { clientErrors } from "./client.ts";
export type { HubErrorEntry } from "./hub-error.ts";

/** The hub's errors by area. Codes are permanent; the texts may improve. */
export const hubErrorAreas = {
  Requests: requestErrors,
  Accounts: accountErrors,
  Access: accessErrors,
  Publishing: publishingErrors,
  "Package documents": documentErrors,
  Tarballs: tarballErrors,
  "Package content": contentErrors,
  Runs: runErrors,
} as const;

/** Every error code of the hub, with its HTTP status. */
export const hubErrors = {
  ...requestErrors,
  ...accountErrors,
  ...accessErrors,
  ...publishingErrors,
  ...documentErrors,
  ...tarballErrors,
  ...contentErrors,
  ...runErrors,
} as const;

/** A code of {@link hubErrors}. */
export type HubErrorCode = keyof typeof hubErrors;

/** The HTTP statuses of the hub's errors. */
export type HubErrorStatus = (typeof hubErrors)[HubErrorCode]["status"];
