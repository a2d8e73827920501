import type { FastifyInstance } from "fastify";
import * as z from "zod";

import { readablePackage } from "../../access/permissions/require-package.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { downloadsByDay, everyDay, lastDays, type Period, requestedPeriod } from "./read.ts";

const namedPeriods: Readonly<Record<string, number>> = {
  "last-day": 1,
  "last-week": 7,
  "last-month": 30,
  "last-year": 365,
};

const dateRange = z
  .tuple([z.iso.date()])
  .rest(z.iso.date())
  .refine((days) => days.length <= 2);

/** Download counts in the format of npm's download API, which badges and charts read. */
export function downloadRoutes(app: FastifyInstance, hub: Hub): void {
  for (const form of ["point", "range"] as const)
    packageRoute(app, `GET /downloads/${form}/:period/:package`, async (name, request) => {
      const { id } = await readablePackage(hub, request, name);
      const { period: text } = request.params as { readonly period: string };
      const period = readPeriod(text, hub.clock());
      const counts = await downloadsByDay(hub.database, id, period);
      const days = everyDay(period, counts).map(({ day, count }) => ({ day, downloads: count }));
      const downloads =
        form === "range" ? days : days.reduce((sum, { downloads }) => sum + downloads, 0);
      return { downloads, start: period.from, end: period.to, package: name };
    });
}

function readPeriod(text: string, now: Date): Period {
  const days = Object.hasOwn(namedPeriods, text) ? namedPeriods[text] : undefined;
  if (days !== undefined) return lastDays(days, now);
  const parsed = dateRange.safeParse(text.split(":"));
  if (parsed.success) {
    const [from, to = from] = parsed.data;
    return requestedPeriod({ from, to }, now);
  }
  throw new HubError("invalid-period", {
    message: `${JSON.stringify(text.slice(0, 50))} is not a valid period. Request ${Object.keys(namedPeriods).join(", ")}, a day such as 2026-02-03, or two days separated by a colon.`,
  });
}
