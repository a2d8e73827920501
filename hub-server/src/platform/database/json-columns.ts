import type { ColumnType } from "kysely";

/** A JSON column. It is read as a value and written as text, because the driver sends a bare array as an SQL array. */
export type Json<T> = ColumnType<T, string, string>;

/** The Sigstore bundle that a client sent with a package. It is not verified yet. */
export interface Attestation {
  readonly mediaType: string;
  /** The bundle as JSON. */
  readonly text: string;
}

/** Details of a build that only the client knows. The hub cannot verify them. */
export interface PublishHints {
  readonly gitHead?: string | undefined;
  readonly nodeVersion?: string | undefined;
  readonly npmVersion?: string | undefined;
}
