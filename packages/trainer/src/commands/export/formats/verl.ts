import { maxTurnsOf } from "@envs/core/engine";

import { type ExportFile, type ExportResult, quoteString } from "../export-files.ts";
import { serveCommand, type TrainingSource } from "../training-source.ts";
import { nemo } from "./nemo.ts";

/**
 * Exports a NeMo Gym resources server, for NeMo RL and verl: a proxy to our server, its configuration, and the dataset.
 * Both trainers let NeMo Gym start every server, so it cannot use ours directly.
 */
export async function verl(source: TrainingSource): Promise<ExportResult> {
  const { name } = source.environment;
  const id = name.replaceAll(/\W/gu, "_");
  const folder = `resources_servers/${id}`;
  const { files: rows } = await nemo(source);
  return {
    files: [
      { path: `${folder}/app.py`, text: proxyServer(source) },
      // NeMo Gym from PyPI skips this line and installs itself.
      { path: `${folder}/requirements.txt`, text: "-e nemo-gym[dev] @ ../../\n" },
      { path: `${folder}/configs/${id}.yaml`, text: serverConfig(source, id) },
      agentLoopConfig(id),
      ...rows,
    ],
    notes: [`Start the server before training: ${serveCommand(source)}`],
  };
}

/** NeMo Gym's agent runs until the model stops calling tools. `max_steps` stops it one turn after the episode's limit. */
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

function agentLoopConfig(id: string): ExportFile {
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

function proxyServer({ environment, url }: TrainingSource): string {
  return `"""Forwards the requests of NeMo Gym to envs serve. Set ENVS_API_KEY if the server requires an API key."""

import os

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector
from fastapi import FastAPI, Request, Response
from nemo_gym.base_resources_server import BaseResourcesServerConfig, SimpleResourcesServer

URL = ${quoteString(`${url}/nemo/${environment.name}`)}


class ProxyServer(SimpleResourcesServer):
    config: BaseResourcesServerConfig

    def setup_webserver(self) -> FastAPI:
        app = FastAPI()
        clients: list[ClientSession] = []

        @app.api_route("/{path:path}", methods=["GET", "POST"])
        async def forward(path: str, request: Request) -> Response:
            if path == "":
                return Response('{"status": "ok"}', media_type="application/json")
            if not clients:
                # Without a cookie jar: rollouts must not share cookies. By default, aiohttp opens at most 100
                # connections and ends a request after 300 seconds, which scores and groups may exceed.
                clients.append(
                    ClientSession(
                        cookie_jar=DummyCookieJar(),
                        connector=TCPConnector(limit=0),
                        timeout=ClientTimeout(total=None, sock_connect=30),
                    )
                )
            forwarded = {"content-type", "cookie"}
            headers = {name: value for name, value in request.headers.items() if name in forwarded}
            if "ENVS_API_KEY" in os.environ:
                headers["x-api-key"] = os.environ["ENVS_API_KEY"]
            body = await request.body()
            url = f"{URL}/{path}"
            async with clients[0].request(request.method, url, data=body, headers=headers) as upstream:
                response = Response(await upstream.read(), upstream.status)
                for name in ("content-type", "set-cookie"):
                    for value in upstream.headers.getall(name, []):
                        response.headers.append(name, value)
            return response

        return app

    async def verify(self, body):
        raise NotImplementedError("envs serve verifies")


if __name__ == "__main__":
    ProxyServer.run_webserver()
`;
}
