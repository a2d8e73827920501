import type { Figure } from "../figure.ts";
import { median } from "../rounds.ts";
import { environment } from "./environment.ts";
import { type Package, publish, publishDocument } from "./package.ts";

/** Where to publish, and who. */
export interface Publisher {
  readonly url: string;
  readonly token: string;
}

/** Publishes environments, eight at once. */
export async function publishEnvironments(
  publishers: readonly Publisher[],
  [from, to]: readonly [number, number],
): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) {
      const document = await publishDocument(await environment(next++));
      for (const { url, token } of publishers) await publish(url, token, document);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** One package with many versions. */
export async function publishVersions(
  publishers: readonly Publisher[],
  name: string,
  versions: number,
): Promise<void> {
  for (let version = 0; version < versions; version += 1) {
    const document = await publishDocument(plain(name, `1.${version}.0`));
    for (const { url, token } of publishers) await publish(url, token, document);
  }
}

/** How long a publish takes, one after the other, in turns. */
export async function publishing(
  ours: Publisher,
  theirs: readonly (Publisher & { readonly name: string })[],
): Promise<Figure[]> {
  const all = [{ name: "ours", ...ours }, ...theirs];
  const times = all.map((): number[] => []);
  for (let round = 0; round < 40; round += 1) {
    const document = await publishDocument(plain(`@bench/published-${round}`, "1.0.0"));
    for (const [index, { url, token }] of all.entries()) {
      const start = performance.now();
      await publish(url, token, document);
      // The first ones find cold code.
      if (round >= 10) times[index]!.push(performance.now() - start);
    }
  }
  const usual = median(times[0]!);
  return all.flatMap(({ name }, index) => {
    const time: Figure = {
      name: `publish, p50: ${name}`,
      value: median(times[index]!),
      unit: "ms",
    };
    if (index === 0) return [time];
    const gain = median(times[index]!) / usual;
    return [
      time,
      {
        name: `publish: time of ${name} / of ours`,
        value: gain,
        unit: "×",
        ...(index === 1 && { aim: { at: "least", value: 3 } as const }),
      },
    ];
  });
}

function plain(name: string, version: string): Package {
  return {
    name,
    version,
    description: "A package of the benchmark",
    keywords: ["benchmark"],
    readme: `# ${name}\n\n${"What it is for, in some words. ".repeat(60)}\n`,
    files: { "index.js": `export const text = ${JSON.stringify("0123456789".repeat(3000))};\n` },
  };
}
