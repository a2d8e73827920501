export const {
  ENVS_TEST_MACHINE_SOCKET: socket,
  ENVS_TEST_MACHINE_IMAGE: image = "envs-test-base",
} = process.env;

/** A task that a shell command solves. */
export const sumTask = {
  "task.toml": `[environment]\ndocker_image = "${image}"\nnetwork_mode = "no-network"\n`,
  "instruction.md": "Write 2 + 3 to /app/sum.txt.",
  "solution/solve.sh": "mkdir -p /app && echo 5 > /app/sum.txt\n",
  "tests/test.sh": `if [ "$(cat /app/sum.txt 2>/dev/null)" = 5 ]; then reward=1; else reward=0; fi
echo "{\\"reward\\": $reward, \\"style\\": 1}" > /logs/verifier/reward.json
`,
};
