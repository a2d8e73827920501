import { type Exported, quoted, serveCommand, type TrainingSource } from "./form.ts";

/**
 * A resources server of NeMo Gym that passes everything on to ours: for verl and NeMo RL, which have NeMo Gym start all
 * of its servers itself.
 */
export function verl(source: TrainingSource): Exported {
  const { environment, url } = source;
  const id = environment.name.replaceAll(/\W/gu, "_");
  const rows = `${environment.name}.jsonl`;
  const text = `"""${environment.name} for verl and NeMo RL, through NeMo Gym: passes every request on to the server of envs.

1. ${serveCommand(source)}
2. Save this as resources_servers/${id}/app.py in a checkout of NeMo Gym, beside a requirements.txt
   with the line "-e nemo-gym[dev] @ ../../", and this as resources_servers/${id}/configs/${id}.yaml:

${id}_resources_server:
  resources_servers:
    ${id}:
      entrypoint: app.py
      domain: other
${id}_simple_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: ${id}_resources_server}
      model_server: {type: responses_api_models, name: policy_model}

3. envs export nemo ${source.loaded.reference} --split ${source.split} --count ${source.count} -o ${rows}
4. Train with recipe/nemo_gym of verl: the YAML among its config_paths, the rows as data.train_files.
"""

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
  return { files: [{ path: "app.py", text }] };
}
