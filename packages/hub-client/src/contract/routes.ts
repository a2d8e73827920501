import { accountRoutes } from "./accounts.ts";
import { advisoryRoutes } from "./advisories.ts";
import { eventRoutes } from "./events.ts";
import { playRoutes } from "./hub-plays.ts";
import { organisationRoutes } from "./organisations.ts";
import { packageRoutes } from "./packages.ts";
import { rescoringRoutes } from "./rescoring.ts";
import { rewardDiffRoutes } from "./reward-diff.ts";
import { rolloutRoutes } from "./rollouts.ts";
import { declarationRoutes } from "./run-declaration.ts";
import { uploadRoutes } from "./run-upload.ts";
import { runRoutes } from "./runs.ts";
import { searchRoutes } from "./search.ts";
import { suiteRoutes } from "./suites.ts";

/** All routes of the hub's own API. The server registers them, and the client has a method for each. */
export const routes = {
  ...searchRoutes,
  ...packageRoutes,
  ...advisoryRoutes,
  ...runRoutes,
  ...suiteRoutes,
  ...declarationRoutes,
  ...uploadRoutes,
  ...rolloutRoutes,
  ...rescoringRoutes,
  ...playRoutes,
  ...rewardDiffRoutes,
  ...accountRoutes,
  ...organisationRoutes,
  ...eventRoutes,
} as const;

/** The routes by name, as types. */
export type Routes = typeof routes;
