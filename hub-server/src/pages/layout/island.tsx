import type { Island as Definition } from "@envs/web";
import { createContext, type ReactNode, useContext } from "react";
import { renderToString } from "react-dom/server";

/** Collects the names of the islands that a page renders. */
export const IslandNames = createContext<Set<string>>(new Set());

/** Renders an island and its props, from which its script continues in the browser. */
export function Island<Props extends object>({
  of: { name, component: Component },
  props,
  id = name,
}: {
  readonly of: Definition<Props>;
  readonly props: Props;
  /** Needed if a page contains the same island twice. */
  readonly id?: string;
}): ReactNode {
  useContext(IslandNames).add(name);
  // Uses another renderer than the page, whose static renderer omits the markers that hydration needs.
  const html = renderToString(<Component {...props} />, { identifierPrefix: `${id}-` });
  return (
    <div
      data-island={name}
      data-id={id}
      data-props={JSON.stringify(props)}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
