import { type Attack, type Grader, wish } from "./attacks.ts";
import { image } from "./sum-task.ts";

const asks = `[ "$(cat /app/sum.txt 2>/dev/null)" = 5 ]`;
const writes = "reward=1 || reward=0\necho $reward > /logs/verifier/reward.txt\n";

const files: Readonly<Record<Grader, Readonly<Record<string, string>>>> = {
  shell: { "tests/test.sh": `sleep 0.3\n${asks} && ${writes}sleep 0.3\n` },
  git: { "tests/test.sh": `cd /app && git status --porcelain >/dev/null\n${asks} && ${writes}` },
  pytest: {
    "tests/test.sh": `mkdir -p /app && cd /app
curl --version >/dev/null
python3 -m pytest -q -p no:cacheprovider /tests/test_sum.py && ${writes}`,
    "tests/test_sum.py": `from pathlib import Path

def test_sum():
    assert Path("/app/sum.txt").read_text().strip() == "5"
`,
  },
};

/** A task whose solution is an attack: the policy `oracle` plays it. */
export function attackedTask(
  { grader, script }: Pick<Attack, "grader" | "script">,
  name: string,
): Readonly<Record<string, string>> {
  return {
    "task.toml": `schema_version = "1.4"
artifacts = ["/app"]
[task]
name = "attacks/${name}"
[environment]
docker_image = "${image}"
`,
    "instruction.md": "Write 2 + 3 to /app/sum.txt.",
    "solution/solve.sh": `echo '${wish.content}' > ${wish.file}\n${script}\n`,
    "environment/.keep": "",
    ...files[grader],
  };
}

/** The right solution of every such task. */
export const solution = "mkdir -p /app; echo 5 > /app/sum.txt";
