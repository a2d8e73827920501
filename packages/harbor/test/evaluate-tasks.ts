import { evaluate, policy } from "@envs/core";
import { harbor } from "@envs/harbor";
import { docker } from "@envs/machine";

const terminal = harbor("tasks", { name: "terminal", provider: docker() });
const { reward } = await evaluate(terminal({ grade: "fresh" }), { model: policy("oracle") });
console.log(reward.mean);
