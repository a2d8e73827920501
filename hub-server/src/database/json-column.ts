import type { ColumnType } from "kysely";

/** A column of JSON: read as a value, written as text, since a bare array would become an SQL array. */
export type Json<T> = ColumnType<T, string, string>;
