import type { FastifyInstance, FastifyReply } from "fastify";

import type { Hub } from "../../platform/hub/hub.ts";
import { type Feedback, handleChange } from "./handle-change.tsx";
import { requireSession, type SignedInVisitor } from "./require-session.ts";

/** A page with forms. */
export interface FormPage<Params> {
  /** A pattern such as `/org/:name/members`. */
  readonly path: string;
  /** The notices of the forms, by their keys. */
  readonly notices: Readonly<Record<string, string>>;
  readonly show: (
    visitor: SignedInVisitor,
    reply: FastifyReply,
    view: Feedback & Params,
  ) => Promise<unknown>;
}

/** Adds the route of a form. Its work returns the key of a notice or the path to open then, or sends a page itself. */
export type AddForm<Params> = (
  after: string,
  work: (
    visitor: SignedInVisitor,
    params: Params,
    reply: FastifyReply,
  ) => Promise<string | FastifyReply>,
) => void;

/** Registers a page with forms for signed-in users. Returns a function that adds its forms. */
export function formPage<Params extends object = Record<never, string>>(
  app: FastifyInstance,
  hub: Hub,
  { path, notices, show }: FormPage<Params>,
): AddForm<Params> {
  app.get(path, async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const { done = "" } = request.query as { readonly done?: string };
    return await show(visitor, reply, { ...(request.params as Params), notice: notices[done] });
  });
  return (after, work) => {
    app.post(`${path}${after}`, (request, reply) => {
      const params = request.params as Params;
      return handleChange(hub, request, reply, {
        page: pathOf(path, params),
        show: (visitor, feedback) => show(visitor, reply, { ...params, ...feedback }),
        work: (visitor) => work(visitor, params, reply),
      });
    });
  };
}

function pathOf(pattern: string, params: object): string {
  const values = new Map<string, string>(Object.entries(params));
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(values.get(name) ?? ""),
  );
}
