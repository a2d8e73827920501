import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { initWasm, Resvg } from "@resvg/resvg-wasm";

const { resolve } = createRequire(import.meta.url);
const font = "@fontsource/public-sans/files/public-sans-latin";

let fonts: Promise<readonly Uint8Array[]> | undefined;

/** Draws an SVG as PNG, `zoom` times as large, with the font of this package: alike on every machine. */
export async function svgToPng(svg: string, zoom = 2): Promise<Uint8Array> {
  fonts ??= load();
  const image = new Resvg(svg, {
    font: { fontBuffers: [...(await fonts)], defaultFontFamily: "Public Sans" },
    fitTo: { mode: "zoom", value: zoom },
  });
  const rendered = image.render();
  const png = rendered.asPng();
  rendered.free();
  image.free();
  return png;
}

async function load(): Promise<readonly Uint8Array[]> {
  await initWasm(await readFile(resolve("@resvg/resvg-wasm/index_bg.wasm")));
  return Promise.all(
    [400, 600].map((weight) => readFile(resolve(`${font}-${weight}-normal.woff2`))),
  );
}
