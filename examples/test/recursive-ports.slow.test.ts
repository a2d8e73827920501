import needleInHaystack from "../ports/needle-in-haystack-rlm.ts";
import { testPorts } from "./support/test-ports.ts";

testPorts([
  {
    factory: needleInHaystack,
    means: { search: 1, reader: 1, first: 0, all: 0 },
    config: { samples: 3, lines: 1000 },
  },
]);
