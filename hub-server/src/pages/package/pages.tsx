import type { FastifyRequest } from "fastify";
import type { ReactNode } from "react";
import * as z from "zod";

const query = z.object({ page: z.coerce.number().int().min(1).max(1000).catch(1) });

/** The number of a list's page in the address: `?page=`, or 1. */
export function pageOf(request: FastifyRequest): number {
  return query.parse(request.query).page;
}

/** Links to the previous and the next page of a list. */
export function Pages({
  path,
  page,
  count,
}: {
  readonly path: string;
  readonly page: number;
  readonly count: number;
}): ReactNode {
  if (count <= 1) return null;
  return (
    <nav className="pages" aria-label="Pages">
      {page > 1 && (
        <a rel="prev" href={`${path}?page=${page - 1}`}>
          Previous
        </a>
      )}
      <span className="quiet">
        Page {page} of {count}
      </span>
      {page < count && (
        <a rel="next" href={`${path}?page=${page + 1}`}>
          Next
        </a>
      )}
    </nav>
  );
}
