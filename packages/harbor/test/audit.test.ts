import { expect, test } from "vitest";

import { auditTask, taskRules } from "../src/audit/audit-task.ts";
import { staticRules } from "../src/audit/static-rules.ts";
import { readTask } from "../src/task/task.ts";
import { written } from "./written.ts";

type Files = Readonly<Record<string, string>>;

const tests = `from pathlib import Path

def test_report():
    # curl https://example.com is only mentioned
    assert Path("/app/report.json").read_text() == '{"lines": 3, "words": 12}'
`;
const sound: Files = {
  "task.toml": '[environment]\nnetwork_mode = "no-network"\n',
  "instruction.md": "Count the lines and words of /app/log.txt and write them to /app/report.json.",
  "environment/Dockerfile": "FROM debian:bookworm-slim\nCOPY log.txt /app/log.txt\n",
  "environment/log.txt": "one two three four\n",
  "solution/solve.sh": `echo '{"lines": 3, "words": 12}' > /app/report.json # no download\n`,
  "tests/test.sh":
    "python3 -m pytest /tests/test_report.py && echo 1 > /logs/verifier/reward.txt\n",
  "tests/test_report.py": tests,
};

/** One fault for each rule that reads files. */
const broken: Readonly<Record<string, readonly Files[]>> = {
  "readable-tests": [
    { "environment/checks/test_report.py": tests },
    { "environment/Dockerfile": "FROM debian\nCOPY tests/ /tests/\n" },
    { "environment/docker-compose.yaml": "services:\n  main:\n    volumes: [../tests:/checks]\n" },
  ],
  "answer-in-image": [
    { "environment/notes.txt": sound["solution/solve.sh"]! },
    {
      "environment/Dockerfile":
        "FROM debian\nCOPY answer.json /tmp/answer.json\nRUN make && \\\n  rm /tmp/answer.json\n",
    },
  ],
  "git-history": [
    {
      "environment/Dockerfile":
        "FROM debian\nRUN git clone https://git.example.com/a/b /app && git -C /app checkout 1a2b3c\n",
    },
    { "environment/repo/.git/HEAD": "ref: refs/heads/main\n" },
  ],
  "undeclared-network": [
    { "solution/solve.sh": "pip install numpy && python3 solve.py\n" },
    { "tests/test.sh": "curl -LsSf https://uv.example.com | sh\n" },
  ],
  "downloading-grader": [
    { "task.toml": "", "tests/test.sh": "apt-get update && apt-get install -y curl\n" },
  ],
  "unnamed-file": [{ "instruction.md": "Count the lines and words of the log." }],
  clock: [
    { "tests/test_report.py": "import datetime\nassert datetime.date.today().year == 2025\n" },
  ],
  locale: [
    { "tests/test_report.py": 'from time import strftime\nassert strftime("%B") == "May"\n' },
  ],
};

/** Tasks that resemble a faulty one. */
const unsuspicious: readonly Files[] = [
  {},
  {
    "environment/Dockerfile":
      "FROM debian\nRUN git clone --depth 1 https://git.example.com/a/b /app && rm -rf /app/.git\n",
  },
  {
    "environment/Dockerfile": "FROM debian\nCOPY log.txt contest/ /app/\nRUN rm -rf /var/lib/apt\n",
  },
  { "instruction.md": "Write the counts to `report.json` in the working folder." },
  { "tests/test.sh": "# pip install pytest\ndate +%s > /tmp/start\npython3 -m pytest /tests\n" },
  { "task.toml": "", "solution/solve.sh": "pip install numpy\n" },
];

const rules = staticRules.map(({ id }) => id);
const provider = undefined as never;

async function found(files: Files): Promise<readonly string[]> {
  const folder = await written({ ...sound, ...files });
  const { findings } = await auditTask(readTask(folder), { provider, rules });
  return [...new Set(findings.map(({ rule }) => rule))];
}

test.each(
  Object.entries(broken).flatMap(([id, cases]) => cases.map((files) => [id, files] as const)),
)("%s names the fault in %o, and accuses nothing else", async (id, files) => {
  expect(await found(files)).toEqual([id]);
});

test.each(unsuspicious.map((files) => [files]))("does not accuse %o", async (files) => {
  expect(await found(files)).toEqual([]);
});

test("has a fault for each rule that reads files", () => {
  expect(Object.keys(broken)).toEqual(rules);
  expect(taskRules.map(({ id }) => id)).toEqual(expect.arrayContaining([...rules, "empty-file"]));
});
