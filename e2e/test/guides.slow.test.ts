import { testEveryCommand } from "../src/guides/every-command.ts";

testEveryCommand((document) => document.startsWith("docs/"));
