import * as z from "zod";

/** One route of the hub's own API: what it is asked with, and what it answers. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The names of `params` stand in braces. */
  readonly path: `/${"api/v1" | "-"}/${string}`;
  /** What it is listed under. */
  readonly group: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** `user`: only with a token. */
  readonly for: "anyone" | "user";
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The status of success; 200 unless said. */
  readonly status?: 200 | 201;
  readonly answer: z.ZodType;
}

/** The parts of a request. No name is in two of them, so that a client takes them as one object. */
export type RequestPart = "params" | "query" | "body";

type PartInput<R extends Route, Part extends RequestPart> = R[Part] extends z.ZodType
  ? z.input<R[Part]>
  : unknown;

type Flat<T> = { [Key in keyof T]: T[Key] };

/** What a client gives for a route. */
export type RouteInput<R extends Route> = Flat<
  PartInput<R, "params"> & PartInput<R, "query"> & PartInput<R, "body">
>;

/** What a client gets from a route. */
export type RouteAnswer<R extends Route> = z.output<R["answer"]>;

/** A refusal: what happened, why, and what to do. The code is permanent; the message may improve. */
export const problem = z
  .object({
    error: z.string().describe("The message, where npm looks for it"),
    message: z.string(),
    code: z.string(),
  })
  .meta({ id: "Problem" });
