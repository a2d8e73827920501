import type { ProviderBehaviour } from "../../../packages/models/test/providers/behaviour.ts";
import { httpBehaviours } from "../../../packages/models/test/providers/http-behaviours.ts";
import { mediaBehaviours } from "../../../packages/models/test/providers/media-behaviours.ts";
import { replyBehaviours } from "../../../packages/models/test/providers/reply-behaviours.ts";
import { table } from "./table.ts";

/** The tables of how model servers behave, from the cases of their tests. */
export const providerTables: Readonly<Record<string, () => string>> = {
  "replies of providers": () => tableOf(replyBehaviours),
  "responses of providers": () => tableOf(httpBehaviours),
  "media of providers": () => tableOf(mediaBehaviours),
};

function tableOf(behaviours: readonly ProviderBehaviour[]): string {
  return table(
    ["If …", "Known of", "`openai` …", "`aiSdk`"],
    behaviours.map(({ behaviour, by, effect, aiSdk }) => [
      behaviour,
      by,
      effect,
      aiSdk === undefined ? "" : "the same",
    ]),
  );
}
