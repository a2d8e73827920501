export { readSettings, SettingsError, settingsHelp } from "./platform/config/read-settings.ts";
export type { Settings } from "./platform/config/settings.ts";
export type { RunningHub } from "./start.ts";
export { startHub } from "./start.ts";
