/** The commands that `envs --help` lists one by one, in the order in which an author needs them. */
export const startingCommands: readonly string[] = [
  "init",
  "info",
  "play",
  "eval",
  "view",
  "check",
  "install",
  "publish",
];

/** What the commands of each group do. `train` and `serve` are commands, too. */
export const groups: Readonly<Record<string, string>> = {
  run: "Compare, import, replay, rescore, scan, reproduce, report and push saved runs",
  suite: "Create, run and publish suites of evaluations",
  judge: "Compare a judge with people's labels",
  train: "Train a tiny model or a real one, or play for another trainer",
  serve: "Serve environments and models to other programs",
  queue: "Play rollouts on many machines",
  sandbox: "Check sandboxes, and install Python packages for them",
  machine: "Check the container engine of machines, and remove leftovers",
  hub: "Log in, manage packages, tokens and organisations, run a hub",
};
