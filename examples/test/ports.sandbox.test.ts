// A port that runs Python, which needs bubblewrap.
import humaneval from "../ports/humaneval.ts";
import { testPolicies, useSamples } from "./support/test-ports.ts";

useSamples();

testPolicies([
  {
    factory: humaneval,
    means: {
      gold: 1,
      "from-scratch": 1,
      "in-thoughts": 0,
      nothing: 0,
      exit: 0,
      "always-equal": 0,
      "redefines-helpers": 0,
      endless: 0,
    },
    config: { seconds: 6 },
  },
]);
