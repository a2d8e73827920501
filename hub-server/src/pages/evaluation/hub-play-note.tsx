import type { HubPlay } from "@envs/hub-client";
import type { ReactNode } from "react";

import { Form } from "../layout/form.tsx";

/** Whether the hub plays a run itself, with a button for users who may request it. */
export function HubPlayNote({
  id,
  play,
  mayRequest,
}: {
  readonly id: string;
  readonly play: HubPlay;
  readonly mayRequest: boolean;
}): ReactNode {
  // The list of repeats has the hub's run.
  if (play.outcome === "played") return null;
  if (play.outcome === "waiting")
    return (
      <p className="quiet">
        The hub will play this run. {play.reason ?? "Load this page again in a minute."}
      </p>
    );
  const failure = play.outcome === "failed" && (
    <p className="quiet">
      The hub did not finish its play of this run (<code>{play.code}</code>): {play.reason}
    </p>
  );
  if (!mayRequest) return failure;
  if (play.outcome === "impossible")
    return <p className="quiet">The hub cannot play this run. {play.reason}</p>;
  return (
    <>
      {failure}
      <Form action={`/run/${id}/play`}>
        <p>
          The hub can play this recipe again with a fresh seed, and push the result in its own name.
        </p>
        <button>{play.outcome === "failed" ? "Try again" : "Let the hub play it"}</button>
      </Form>
    </>
  );
}
