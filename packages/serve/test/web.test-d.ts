import { expectTypeOf, test } from "vitest";

import type { SessionState, StepResult } from "../src/openenv/observation.ts";
import type { PlayResult, PlayState } from "../src/web/browser/play-socket.ts";

test("the page's types accept OpenEnv's responses", () => {
  expectTypeOf<StepResult>().toExtend<PlayResult>();
  expectTypeOf<SessionState>().toExtend<PlayState>();
});
