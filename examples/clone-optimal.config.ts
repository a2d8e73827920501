// A control, not a recipe: the same model imitates the optimal policy and never plays itself. It shows how well the
// network can play when the optimal moves are known. Run: envs train tictactoe --config examples/clone-optimal.config.ts
import recipe from "@envs/tictactoe/training";

export default {
  ...recipe,
  phases: {
    clone: {
      ...recipe.phases.sft,
      data: { policy: "optimal", examples: 4000, config: { examples: 4000 } },
    },
  },
};
