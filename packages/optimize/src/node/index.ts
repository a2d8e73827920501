export { openJournal } from "./journal-file.ts";
