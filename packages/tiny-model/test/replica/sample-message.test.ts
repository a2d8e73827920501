import * as fc from "fast-check";
import { expect, test } from "vitest";

import {
  packCompletions,
  packRequests,
  unpackCompletions,
  unpackRequests,
} from "../../src/replica/sample-message.ts";
import type { Completion, SampleRequest } from "../../src/sampling/sampler.ts";

const ids = fc.array(fc.nat(65_535), { maxLength: 20 });

const requests: fc.Arbitrary<SampleRequest[]> = fc.array(
  fc.record({
    promptIds: ids,
    maxTokens: fc.nat(),
    temperature: fc.double({ min: 0, max: 10, noNaN: true }),
    topP: fc.double({ min: 0, max: 1, noNaN: true }),
    seed: fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
    session: fc.option(fc.nat(), { nil: undefined }),
  }),
);

const completions: fc.Arbitrary<Completion[]> = fc.array(
  ids.chain((list) =>
    fc.record({
      ids: fc.constant(list),
      logprobs: fc.array(fc.double({ max: 0, noNaN: true }), {
        minLength: list.length,
        maxLength: list.length,
      }),
      finish: fc.constantFrom("stop" as const, "length" as const),
    }),
  ),
);

test("requests arrive at a thread as they were sent", () => {
  fc.assert(
    fc.property(requests, (sent) => {
      expect(unpackRequests(structuredClone(packRequests(sent)))).toEqual(sent);
    }),
  );
});

test("completions return from a thread as they were sampled", () => {
  fc.assert(
    fc.property(completions, (sampled) => {
      expect(unpackCompletions(structuredClone(packCompletions(sampled)))).toEqual(sampled);
    }),
  );
});
