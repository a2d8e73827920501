import { join } from "node:path";

import { expect, test } from "vitest";

import { importedPackages, listedLayers } from "./support/layers.ts";

const root = join(import.meta.dirname, "../..");
const layers = listedLayers(root);
const imports = importedPackages(root);

test("the layers list every package once", () => {
  expect(layers.flat().toSorted()).toEqual([...imports.keys()].toSorted());
});

test("a package imports only packages of earlier layers", () => {
  const upwards = layers.flatMap((layer, floor) => {
    const below = new Set(layers.slice(0, floor).flat());
    return layer.flatMap((name) =>
      [...(imports.get(name) ?? [])]
        .filter((other) => other !== name && !below.has(other))
        .map((other) => `${name} imports ${other}`),
    );
  });
  expect(upwards).toEqual([]);
});
