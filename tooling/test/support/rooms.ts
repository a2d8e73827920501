import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { parseSync } from "oxc-parser";

/** An import between two files, as paths in their folder. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** The rooms of a folder: its subfolders, and its loose files, each of which counts as a room. */
export interface Rooms {
  readonly folders: readonly string[];
  readonly looseFiles: readonly string[];
  /** The number of rooms in the longest chain of imports. */
  readonly floors: number;
  /** Imports of a file in a higher room. */
  readonly upward: readonly Import[];
  /** Groups of files that import each other in a circle, also if they import only types. */
  readonly circles: readonly (readonly string[])[];
}

/**
 * Reads the rooms of a folder of TypeScript from the imports of its files. `order` names its rooms from the lowest to the highest:
 * each may import those before it. Throws an `Error` for a room that the order lacks, or that does not exist.
 */
export function readRooms(folder: string, order: readonly string[]): Rooms {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted();
  const rooms = new Set(files.map(roomOf));
  checkOrder(rooms, order);
  const imports = files.flatMap((from) => importsOf(folder, from).map((to) => ({ from, to })));
  const floorOf = (path: string): number => order.indexOf(roomOf(path));
  const upward = imports.filter(({ from, to }) => floorOf(to) > floorOf(from));
  return {
    folders: order.filter((room) => !isFile(room)),
    looseFiles: order.filter(isFile),
    floors: longestChain(order, imports),
    upward,
    circles: circlesOf(files, imports),
  };
}

/** The first part of a path: a subfolder, or a loose file. */
function roomOf(path: string): string {
  return path.slice(0, path.indexOf("/") === -1 ? undefined : path.indexOf("/"));
}

function isFile(room: string): boolean {
  return /\.tsx?$/.test(room);
}

function checkOrder(rooms: ReadonlySet<string>, order: readonly string[]): void {
  const missing = [...rooms].filter((room) => !order.includes(room));
  if (missing.length > 0)
    throw new Error(
      `The order of the rooms lacks ${missing.join(", ")}. Add each above those it imports.`,
    );
  const unknown = order.filter((room) => !rooms.has(room));
  if (unknown.length > 0)
    throw new Error(
      `The order of the rooms names ${unknown.join(", ")}, which do not exist. Remove them.`,
    );
}

/** The files of the folder that a file imports or exports from, also dynamically. */
function importsOf(folder: string, from: string): readonly string[] {
  const path = join(folder, from);
  const text = readFileSync(path, "utf8");
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
  const requests = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value)),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
  const targets = requests
    .filter((request) => request?.startsWith(".") === true && /\.tsx?$/.test(request))
    .map((request) => relative(folder, join(dirname(path), request!)).replaceAll("\\", "/"));
  return [...new Set(targets)].filter((target) => !target.startsWith(".."));
}

function longestChain(order: readonly string[], imports: readonly Import[]): number {
  const floors = new Map<string, number>();
  for (const [position, room] of order.entries()) {
    const below = imports
      .filter(({ from }) => roomOf(from) === room)
      .map(({ to }) => roomOf(to))
      .filter((other) => order.indexOf(other) < position)
      .map((other) => floors.get(other)!);
    floors.set(room, 1 + Math.max(0, ...below));
  }
  return Math.max(0, ...floors.values());
}

function circlesOf(files: readonly string[], imports: readonly Import[]): readonly string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const reachable = new Map(files.map((file) => [file, reachableFrom(file, targets)]));
  const circles: string[][] = [];
  for (const file of files) {
    if (!reachable.get(file)!.has(file) || circles.some((circle) => circle.includes(file)))
      continue;
    const back = [...reachable.get(file)!].filter((other) => reachable.get(other)?.has(file));
    circles.push(back.toSorted());
  }
  return circles;
}

function reachableFrom(
  file: string,
  targets: ReadonlyMap<string, readonly Import[]>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const { to } of targets.get(next) ?? [])
      if (!found.has(to)) {
        found.add(to);
        open.push(to);
      }
  return found;
}
