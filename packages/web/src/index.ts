export {
  type Asset,
  type Assets,
  assetsFolder,
  readAsset,
  readAssets,
} from "./assets/read-assets.ts";
export { defineIsland, type Island } from "./island/define-island.ts";
export { counted, dayOf, kindLabel, packagePath } from "./package-list/labels.ts";
