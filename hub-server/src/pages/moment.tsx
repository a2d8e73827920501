import type { ReactNode } from "react";

const format = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** A moment, for people. The page does not know where they are. */
export function Moment({ at }: { readonly at: Date }): ReactNode {
  return <time dateTime={at.toISOString()}>{`${format.format(at)} UTC`}</time>;
}
