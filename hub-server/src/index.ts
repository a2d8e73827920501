export { readSettings, SettingsError, settingsHelp } from "./config/read-settings.ts";
export type { Settings } from "./config/settings.ts";
export type { RunningHub } from "./start.ts";
export { startHub } from "./start.ts";
