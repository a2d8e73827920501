import { maxTurnsOf } from "@envs/core/engine";

import {
  type Exported,
  type ExportedFile,
  quoted,
  serveCommand,
  type TrainingSource,
} from "../format.ts";
import { nemo } from "./nemo.ts";

/**
 * What NeMo Gym wants of an environment, for NeMo RL and verl, which have it start all of its servers itself: a server
 * that passes everything on to ours, how it is started, and the rows.
 */
export async function verl(source: TrainingSource): Promise<Exported> {
  const { name } = source.environment;
  const id = name.replaceAll(/\W/gu, "_");
  const folder = `resources_servers/${id}`;
  const { files: rows } = await nemo(source);
  return {
    files: [
      { path: `${folder}/app.py`, text: forwarder(source) },
      // NeMo Gym from PyPI passes this line over, and installs itself.
      { path: `${folder}/requirements.txt`, text: "-e nemo-gym[dev] @ ../../\n" },
      { path: `${folder}/configs/${id}.yaml`, text: serverConfig(source, id) },
      agentLoopConfig(id),
      ...rows,
    ],
    notes: [`Before it is used: ${serveCommand(source)}`],
  };
}

/** NeMo Gym’s own agent goes on for as long as tools are called: a model that never stops is stopped one turn after the episode. */
function serverConfig({ environment }: TrainingSource, id: string): string {
  return `${id}_resources_server:
  resources_servers:
    ${id}:
      entrypoint: app.py
      domain: other
${id}_simple_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      max_steps: ${maxTurnsOf(environment) + 1}
      resources_server:
        type: resources_servers
        name: ${id}_resources_server
      model_server:
        type: responses_api_models
        name: policy_model
`;
}

function agentLoopConfig(id: string): ExportedFile {
  const root = "$NEMO_GYM_ROOT";
  return {
    path: "verl.yaml",
    text: `# For verl: actor_rollout_ref.rollout.agent.agent_loop_config_path
nemo_gym:
  nemo_gym_root: ${root}
  uses_reasoning_parser: false
  config_paths:
    - ${root}/responses_api_models/vllm_model/configs/vllm_model_for_training.yaml
    - ${root}/resources_servers/${id}/configs/${id}.yaml
`,
  };
}

function forwarder({ environment, url }: TrainingSource): string {
  return `"""Passes every request of NeMo Gym on to the server of envs. If that asks for a key, it is taken from ENVS_API_KEY."""

import os

from aiohttp import ClientSession, DummyCookieJar
from fastapi import FastAPI, Request, Response
from nemo_gym.base_resources_server import BaseResourcesServerConfig, SimpleResourcesServer

URL = ${quoted(`${url}/nemo/${environment.name}`)}


class Forwarder(SimpleResourcesServer):
    config: BaseResourcesServerConfig

    def setup_webserver(self) -> FastAPI:
        app = FastAPI()
        clients: list[ClientSession] = []

        @app.api_route("/{path:path}", methods=["GET", "POST"])
        async def forward(path: str, request: Request) -> Response:
            if path == "":
                return Response('{"status": "ok"}', media_type="application/json")
            if not clients:
                # Without a jar: one rollout's cookie must not go with another's request.
                clients.append(ClientSession(cookie_jar=DummyCookieJar()))
            kept = {"content-type", "cookie"}
            headers = {name: value for name, value in request.headers.items() if name in kept}
            if "ENVS_API_KEY" in os.environ:
                headers["x-api-key"] = os.environ["ENVS_API_KEY"]
            body = await request.body()
            asked = clients[0].request(request.method, f"{URL}/{path}", data=body, headers=headers)
            async with asked as answer:
                response = Response(await answer.read(), answer.status)
                for name in ("content-type", "set-cookie"):
                    for value in answer.headers.getall(name, []):
                        response.headers.append(name, value)
            return response

        return app

    async def verify(self, body):
        raise NotImplementedError("the server of envs verifies")


if __name__ == "__main__":
    Forwarder.run_webserver()
`;
}
