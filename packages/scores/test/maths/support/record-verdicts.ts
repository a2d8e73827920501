import { writeFileSync } from "node:fs";

import { pairsFile, readPairs, unboxed } from "./pairs.ts";
import { pythonVerdicts } from "./python.ts";

// Writes Math-Verify's verdict on each pair into pairs.jsonl. ENVS_PYTHON names a Python that has it.
const pairs = readPairs();
const verdicts = await pythonVerdicts(pairs.map(unboxed));
const rows = pairs.map((pair, index) => ({ ...pair, mathVerify: verdicts[index]!.same }));
writeFileSync(pairsFile, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
