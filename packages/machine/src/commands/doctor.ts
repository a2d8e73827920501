import { defineCommand, flag, formatTable, paint, printResult, valueOption } from "@envs/cli/kit";

import { diagnose, type MachineReport } from "../doctor/diagnose.ts";

export const command = defineCommand({
  meta: {
    name: "machine doctor",
    description:
      "Check the container engine of machines: its version, rights, memory and disk, what ended processes left, and with --image whether a machine and its networks work. Exits with 1 if something does not work or is left over",
  },
  args: {
    image: valueOption("Start a machine of this image, and try its networks", "name"),
    socket: valueOption("The engine's socket. Default: DOCKER_HOST, or Docker's own", "path"),
    clean: flag(
      "Remove containers, networks and volumes of processes of this computer that have ended",
    ),
    json: flag("Print one JSON object"),
  },
  async run({ args: { image, socket, clean = false, json } }): Promise<number> {
    const report = await diagnose({ image, socket, clean });
    printResult(json, report, textOf(report, image));
    const isSound = report.problem === undefined && report.checks.every(({ problem }) => !problem);
    return isSound && report.leftovers.length === 0 ? 0 : 1;
  },
});

function textOf({ problem, engine, checks, leftovers }: MachineReport, image?: string): string {
  if (engine === undefined) return paint("red", problem ?? "No container engine answers.");
  const { name, version, isRootless, system, cpus, memory, storage, freeDisk, running } = engine;
  const free = freeDisk === undefined ? "on another computer" : `${gigabytes(freeDisk)} free`;
  const facts = [
    ["engine", `${name} ${version}, ${isRootless ? "without root" : "as root"}, ${system}`],
    ["processors", String(cpus)],
    ["memory", gigabytes(memory)],
    ["disk", `${storage.driver} in ${storage.folder}, ${free}`],
    ["running", `${running} ${running === 1 ? "container" : "containers"} of machines`],
  ];
  const tried = checks.map((check) => [
    check.name,
    check.problem === undefined ? paint("green", "works") : paint("red", check.problem),
    `${check.milliseconds} ms`,
  ]);
  return [
    formatTable(facts, "text"),
    "",
    ...(image === undefined
      ? ["No machine was tried. Pass an image: envs machine doctor --image debian:bookworm-slim"]
      : [formatTable(tried, "text")]),
    "",
    ...leftoverLines(leftovers),
  ].join("\n");
}

function leftoverLines(leftovers: MachineReport["leftovers"]): readonly string[] {
  if (leftovers.length === 0) return ["Ended processes left nothing."];
  return [
    ...leftovers.map(({ kind, id, run }) =>
      paint(
        "yellow",
        `Left over: ${kind} ${id.slice(0, 48)}${run === undefined ? "" : ` of the run ${run}`}`,
      ),
    ),
    "Remove them: envs machine doctor --clean",
  ];
}

function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
