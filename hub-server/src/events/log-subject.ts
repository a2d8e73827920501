import { type RawBuilder, sql } from "kysely";

/** Which events to read. Without a field, those of the whole hub. */
export interface LogSubject {
  /** The name of a package. */
  readonly package?: string | undefined;
  /** The name of a user or an organisation. The events of its packages are not included. */
  readonly account?: string | undefined;
}

/** Whether the events are only those of a package or an account. */
export function isLimitedTo({ package: name, account }: LogSubject): boolean {
  return name !== undefined || account !== undefined;
}

/** Whether an event is about the subject, as a condition for queries that read the table `events`. */
export function isAbout({ package: name, account }: LogSubject): RawBuilder<boolean> {
  const isOfPackage = sql`events.package_id = (select id from packages where packages.name = ${name})`;
  const isOfAccount = sql`events.organisation_id = (select id from accounts where accounts.name = ${account})`;
  return sql`(
    ${name === undefined ? sql`true` : isOfPackage} and ${account === undefined ? sql`true` : isOfAccount}
  )`;
}
