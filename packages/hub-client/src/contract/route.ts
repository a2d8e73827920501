import * as z from "zod";

/** A route of the hub's own API. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path, with the names of `params` in braces. */
  readonly path: `/${"api/v1" | "-"}/${string}`;
  /** The section of the API reference. */
  readonly group: string;
  /** An imperative, such as "Read a package". */
  readonly summary: string;
  /** `user` routes need a token. */
  readonly for: "anyone" | "user";
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The body is bytes instead of JSON: its media type. The client method takes them as `content`. */
  readonly content?: "application/gzip";
  /** The status of success. Default 200. */
  readonly status?: 200 | 201;
  readonly response: z.ZodType;
}

/** Routes by the names of their client methods. */
export type Routes = Readonly<Record<string, Route>>;

/** The parts of a request. Their field names differ, so that a client accepts them as one object. */
type RequestPart = "params" | "query" | "body";

type PartInput<R extends Route, Part extends RequestPart> = R[Part] extends z.ZodType
  ? z.input<R[Part]>
  : unknown;

type ContentInput<R extends Route> = R extends { readonly content: string }
  ? { readonly content: Uint8Array<ArrayBuffer> }
  : unknown;

type Flat<T> = { [Key in keyof T]: T[Key] };

/** The input of a client method. */
export type RouteInput<R extends Route> = Flat<
  PartInput<R, "params"> & PartInput<R, "query"> & PartInput<R, "body"> & ContentInput<R>
>;

/** The output of a client method. */
export type RouteOutput<R extends Route> = z.output<R["response"]>;

/** The body of an error response. The code is permanent; the message may improve. */
export const problem = z
  .object({
    error: z.string().describe("The message, in the field that npm reads"),
    message: z.string(),
    code: z.string(),
  })
  .meta({ id: "Problem" });

/** A package's name, such as `@envs/tictactoe`. */
export const packageName = z
  .string()
  .min(1)
  .max(214)
  .describe("The package's name. The slash of a scope may be %2F or /");

/** A time in UTC, as ISO 8601. */
export const timestamp = z.iso.datetime();

/** A date in UTC. */
export const day = z.iso.date();

/** Whether everyone may read a package, or only users with permission. */
export const access = z.enum(["public", "restricted"]);

/** A query parameter that may occur several times. */
export const repeatable = (item: z.ZodString) =>
  z
    .union([item, z.array(item).max(16)])
    .transform((value) => (typeof value === "string" ? [value] : value));

/** A query parameter with a whole number. */
export const integer = (min: number, max: number) =>
  z.coerce.number<number | string>().int().min(min).max(max);
