/** Texts that attack a page which does not escape them. Each calls `attack`, which the test defines. */
export const attacks = [
  "<script>attack()</script>",
  "<img src=x onerror=attack()>",
  '"><svg onload=attack()>',
  "'-attack()-'",
  "</script><script>attack()</script>",
  "<iframe srcdoc='<script>parent.attack()</script>'></iframe>",
  "[click](javascript:attack())",
  "![x](javascript:attack())",
  "![x](http://127.0.0.1:1/tracker.png)",
  '<a href="javascript:attack()">x</a>',
  "<style>*{background:url(http://127.0.0.1:1/leak)}</style>",
  "<math><mtext></p><script>attack()</script>",
  "<form action='javascript:attack()'><button>x</button></form>",
  "<b style='position:fixed;inset:0'>x</b>",
  "`<img src=x onerror=attack()>`",
  "<div id=viewer data-source='http://127.0.0.1:1'></div>",
  "{{constructor.constructor('attack()')()}}",
  "\u202Eattack\u202C \u0000 \uD800",
  "__proto__",
  "data:text/html,<script>attack()</script>",
] as const;

const everything = attacks.join("\n");

/** A run in which every text of every record is an attack. */
export function hostileRun() {
  const metadata = {
    schema_version: 1,
    env_id: attacks[0],
    env_args: { [attacks[1]]: everything },
    model: attacks[2],
    num_examples: attacks.length,
    rollouts_per_example: 1,
    sampling_args: {},
    date: "2026-11-22T10:00:00.000Z",
    weights: Object.fromEntries(attacks.map((attack, index) => [attack, index])),
    is_complete: true,
  };
  const rows = attacks.map((attack, index) => ({
    example_id: index,
    example_key: attack,
    rollout_index: 0,
    prompt: [{ role: attack, content: everything }],
    completion: [
      {
        role: "assistant",
        content: [
          { type: "text", text: everything },
          {
            type: "image_url",
            image_url: {
              url: `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='attack()'/>`,
            },
          },
          { type: "image_url", image_url: { url: "http://127.0.0.1:1/tracker.png" } },
          { type: attack, value: everything },
        ],
        reasoning_content: everything,
        tool_calls: [
          {
            id: attack,
            type: "function",
            function: { name: attack, arguments: JSON.stringify({ [attack]: everything }) },
          },
          { id: "2", type: "function", function: { name: "x", arguments: attack } },
        ],
      },
      { role: "tool", tool_call_id: attack, name: attack, content: everything },
      { role: "assistant", content: `<answer>${attack}</answer>` },
    ],
    answer: everything,
    reward: index / 10,
    metrics: Object.fromEntries(attacks.map((name) => [name, 1])),
    stop_condition: attack,
    error: index === 3 ? { code: attack, message: everything, chain: [attack] } : null,
    tool_errors: [everything],
    judge_response: everything,
    trajectory: [],
  }));
  return {
    metadata,
    lines: `${rows.map((row) => JSON.stringify(row)).join("\n")}\n{"cut": "${attacks[1]}`,
  };
}
