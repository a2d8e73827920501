import { testEveryCommand } from "./support/guides/every-command.ts";

testEveryCommand((document) => document.startsWith("docs/"));
