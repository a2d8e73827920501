import * as z from "zod";

const failure = z.object({
  detail: z.union([
    z.string(),
    z.array(z.looseObject({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })),
  ]),
});

/** What routes answer when they cannot serve a request, for their schemas. */
export const failures = { "4xx": failure, "5xx": failure };
