"""Writes a job folder with Harbor's own models: harbor_job.py FOLDER. Written with harbor 0.26.0, for test/fixtures/harbor-job."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from harbor.models.agent.context import AgentContext
from harbor.models.task.id import LocalTaskId
from harbor.models.trajectories import (
    Agent,
    ContentPart,
    FinalMetrics,
    ImageSource,
    Metrics,
    Observation,
    ObservationResult,
    Step,
    SubagentTrajectoryRef,
    ToolCall,
    Trajectory,
)
from harbor.models.trial.config import TaskConfig, TrialConfig
from harbor.models.trial.result import (
    AgentInfo,
    ExceptionInfo,
    ModelInfo,
    StepResult,
    TimingInfo,
    TrialResult,
)
from harbor.models.verifier.result import VerifierResult

job = Path(sys.argv[1])
start = datetime(2026, 1, 31, 9, 45, tzinfo=UTC)


def at(begin: int, end: int) -> TimingInfo:
    return TimingInfo(
        started_at=start + timedelta(seconds=begin), finished_at=start + timedelta(seconds=end)
    )


def write(number: int, name: str, trajectory: Trajectory | None, **fields) -> Path:
    folder = job / name
    agent = folder / "agent"
    agent.mkdir(parents=True)
    result = TrialResult(
        id=UUID(int=number),
        task_name="acme/sums",
        trial_name=name,
        trial_uri=f"file:///jobs/{name}",
        task_id=LocalTaskId(path=Path("tasks/sums")),
        source="arithmetic",
        task_checksum="0" * 64,
        config=TrialConfig(task=TaskConfig(path=Path("tasks/sums"))),
        agent_info=AgentInfo(
            name="terminus-2",
            version="2.0.0",
            model_info=ModelInfo(name="small", provider="acme"),
        ),
        started_at=start,
        finished_at=start + timedelta(seconds=30),
        environment_setup=at(0, 4),
        agent_execution=at(5, 20),
        verifier=at(21, 30),
        **fields,
    )
    (folder / "result.json").write_text(result.model_dump_json(indent=2) + "\n")
    if trajectory is not None:
        text = trajectory.model_dump_json(indent=2, exclude_none=True)
        (agent / "trajectory.json").write_text(text + "\n")
    return folder


def trajectory(*steps: Step, **fields) -> Trajectory:
    agent = Agent(name="terminus-2", version="2.0.0", model_name="acme/small")
    return Trajectory(session_id="run", trajectory_id="main", agent=agent, steps=list(steps), **fields)


question = Step(step_id=1, source="user", message="What is 2 + 3? Write it to /app/sum.txt.")
exception = {"exception_traceback": "Traceback", "occurred_at": start}

solved = trajectory(
    question,
    Step(
        step_id=2,
        source="agent",
        message="I look first.",
        reasoning_content="Is the file there?",
        tool_calls=[
            ToolCall(tool_call_id="call-1", function_name="bash", arguments={"command": "ls /app"})
        ],
        observation=Observation(
            results=[
                ObservationResult(source_call_id="call-1", content="sum.txt"),
                ObservationResult(
                    content=[
                        ContentPart(type="text", text="The screen:"),
                        ContentPart(
                            type="image",
                            source=ImageSource(media_type="image/png", path="screen.png"),
                        ),
                    ],
                ),
                ObservationResult(
                    subagent_trajectory_ref=[SubagentTrajectoryRef(trajectory_id="helper")]
                ),
            ]
        ),
        metrics=Metrics(
            prompt_tokens=40,
            completion_tokens=3,
            cached_tokens=10,
            cost_usd=0.01,
            prompt_token_ids=[1, 2],
            completion_token_ids=[3, 4, 5],
            logprobs=[-0.1, -0.2, -0.3],
        ),
    ),
    Step(step_id=3, source="agent", message="It is 5.", metrics=Metrics(prompt_tokens=60, completion_tokens=2)),
    final_metrics=FinalMetrics(total_prompt_tokens=100, total_completion_tokens=5, total_cost_usd=0.02),
    subagent_trajectories=[
        Trajectory(
            trajectory_id="helper",
            agent=Agent(name="helper", version="1"),
            steps=[
                Step(step_id=1, source="user", message="Add 2 and 3."),
                Step(step_id=2, source="agent", message="5"),
            ],
        )
    ],
)
folder = write(
    1,
    "sums__1",
    solved,
    agent_result=AgentContext(n_input_tokens=100, n_cache_tokens=10, n_output_tokens=5, cost_usd=0.02),
    verifier_result=VerifierResult(rewards={"reward": 1, "style": 0.5}),
)
# A picture of one pixel.
(folder / "agent/screen.png").write_bytes(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02"
        "0000000b4944415478da6364f80f00010501012718e3660000000049454e44ae426082"
    )
)

write(
    2,
    "sums__2",
    trajectory(question, Step(step_id=2, source="agent", message="It is 6.")),
    exception_info=ExceptionInfo(
        exception_type="VerifierTimeoutError", exception_message="after 600 s", **exception
    ),
)

# An agent that ran out of time is graded.
write(
    3,
    "sums__3",
    None,
    exception_info=ExceptionInfo(
        exception_type="AgentTimeoutError", exception_message="after 900 s", **exception
    ),
    verifier_result=VerifierResult(rewards={"tests": 0, "lint": 1}),
)

# Two steps, the first of which was continued in a second file after its context was full.
folder = write(
    4,
    "sums__4",
    None,
    step_results=[
        StepResult(step_name=name, agent_result=AgentContext(n_input_tokens=10, n_output_tokens=1))
        for name in ["first", "second"]
    ],
    verifier_result=VerifierResult(rewards={"reward": 0.5}),
)
parts = {
    "first/agent/trajectory.json": trajectory(
        question,
        Step(step_id=2, source="agent", message="Hm."),
        continued_trajectory_ref="trajectory.cont-1.json",
    ),
    "first/agent/trajectory.cont-1.json": trajectory(
        Step(step_id=1, source="agent", message="Hm.", is_copied_context=True),
        Step(step_id=2, source="agent", message="Five."),
    ),
    "second/agent/trajectory.json": trajectory(
        Step(step_id=1, source="user", message="And 4 + 4?"),
        Step(step_id=2, source="agent", message="Eight."),
    ),
}
for path, part in parts.items():
    file = folder / "steps" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(part.model_dump_json(indent=2, exclude_none=True) + "\n")
