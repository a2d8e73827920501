import type { Figure } from "../figure.ts";
import { median } from "../rounds.ts";
import { generateEnvironment } from "./environment.ts";
import { type Package, publish, publishDocument } from "./package.ts";

/** A registry and the token of a user. */
export interface Publisher {
  readonly url: string;
  readonly token: string;
}

/** Publishes the environments `from` (inclusive) to `to` (exclusive), eight at once. */
export async function publishEnvironments(
  publishers: readonly Publisher[],
  [from, to]: readonly [number, number],
): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) {
      const document = await publishDocument(await generateEnvironment(next++));
      for (const { url, token } of publishers) await publish(url, token, document);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** Publishes many versions of one package. */
export async function publishVersions(
  publishers: readonly Publisher[],
  name: string,
  versions: number,
): Promise<void> {
  for (let version = 0; version < versions; version += 1) {
    const document = await publishDocument(plainPackage(name, `1.${version}.0`));
    for (const { url, token } of publishers) await publish(url, token, document);
  }
}

/** Times single publishes, alternating between the registries. */
export async function publishFigures(
  ours: Publisher,
  theirs: readonly (Publisher & { readonly name: string })[],
): Promise<Figure[]> {
  const publishers = [{ name: "ours", ...ours }, ...theirs];
  const times = publishers.map((): number[] => []);
  for (let round = 0; round < 40; round += 1) {
    const document = await publishDocument(plainPackage(`@bench/published-${round}`, "1.0.0"));
    for (const [index, { url, token }] of publishers.entries()) {
      const start = performance.now();
      await publish(url, token, document);
      // The first rounds run code that is not compiled yet.
      if (round >= 10) times[index]!.push(performance.now() - start);
    }
  }
  const ourMedian = median(times[0]!);
  return publishers.flatMap(({ name }, index) => {
    const time: Figure = {
      name: `publish, p50: ${name}`,
      value: median(times[index]!),
      unit: "ms",
    };
    if (index === 0) return [time];
    return [
      time,
      {
        name: `publish: time of ${name} / of ours`,
        value: median(times[index]!) / ourMedian,
        unit: "×",
        aim: index === 1 ? { at: "least", value: 3 } : undefined,
      },
    ];
  });
}

function plainPackage(name: string, version: string): Package {
  return {
    name,
    version,
    description: "A package of the benchmark",
    keywords: ["benchmark"],
    readme: `# ${name}\n\n${"A sentence of the sample text. ".repeat(60)}\n`,
    files: { "index.js": `export const text = ${JSON.stringify("0123456789".repeat(3000))};\n` },
  };
}
