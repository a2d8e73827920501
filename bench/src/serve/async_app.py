"""The echo environment of OpenEnv's template with async methods, which OpenEnv runs in its event loop without threads."""

from models import BenchEchoAction, BenchEchoObservation
from openenv.core.env_server.http_server import create_app
from server.bench_echo_environment import BenchEchoEnvironment


class AsyncEcho(BenchEchoEnvironment):
    async def reset_async(self, seed=None, episode_id=None, **kwargs):
        return self.reset(seed, episode_id, **kwargs)

    async def step_async(self, action, timeout_s=None, **kwargs):
        return self.step(action)


app = create_app(
    AsyncEcho,
    BenchEchoAction,
    BenchEchoObservation,
    env_name="bench_echo",
    max_concurrent_envs=4096,
)
