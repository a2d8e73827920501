import { once } from "node:events";

import {
  integerOption,
  paint,
  shellArgument,
  UsageError,
  defineCommand,
  loadConfigFile,
  valueOption,
} from "@envs/cli/kit";
import { apiKeyFrom, loadModel } from "@envs/cli/kit/models";
import { chatServer } from "@envs/models/server";

import { accessArguments, allowedHostsFrom } from "./allowed-hosts.ts";

export const command = defineCommand({
  meta: { name: "serve model", description: "Serve a model as an OpenAI-compatible endpoint" },
  args: {
    model: {
      ...valueOption(
        "The model to serve: tiny:<name or checkpoint>, gguf:<file>, gguf:<file>+<LoRA adapter>, or an endpoint in envs.config.ts",
      ),
      alias: "m",
    },
    port: valueOption("Port to listen on (default 8080; 0 for any)", "number", "p"),
    host: valueOption("Address to listen on (default 127.0.0.1: this machine only)"),
    ...accessArguments,
    concurrency: valueOption(
      "Maximum number of concurrent conversations (default 4)",
      "count",
      "c",
    ),
    "config-file": valueOption("File with endpoints (default ./envs.config.ts)", "file"),
  },
  async run({ args }): Promise<number> {
    if (args.model === undefined)
      throw new UsageError("Missing model. Example: envs serve model -m tiny:base");
    if (args.model.startsWith("policy:"))
      throw new UsageError(
        `Cannot serve ${args.model}: a policy needs an environment's episode. Choose a tiny:, gguf: or configured model.`,
      );
    const { endpoints } = await loadConfigFile(args["config-file"]);
    const concurrency = integerOption("concurrency", args.concurrency) ?? 4;
    const { model, close } = await loadModel(args.model, { endpoints, concurrency });
    const apiKey = apiKeyFrom(args["api-key-var"]);
    const server = await chatServer(model, {
      port: integerOption("port", args.port, 0) ?? 8080,
      host: args.host,
      apiKey,
      allowedHosts: allowedHostsFrom(args["allowed-host"]),
    });
    process.stdout.write(
      `${paint("bold", model.id ?? args.model)} at ${server.url}\n` +
        `${paint("dim", `envs eval reverse-text -m ${shellArgument(model.id ?? "model")} --base-url ${server.url}`)}\n`,
    );
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    await server.close();
    await close();
    return 0;
  },
});
