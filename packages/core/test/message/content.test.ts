import { describe, expect, test } from "vitest";
import * as z from "zod";

import { examples } from "../../src/definition/read-dataset.ts";
import { episode } from "../../src/episode/episode.ts";
import {
  assistant,
  audio,
  type Content,
  defineEnvironment,
  evaluate,
  file,
  image,
  type Message,
  text,
  user,
} from "../../src/index.ts";
import { describeContent } from "../../src/message/describe-content.ts";
import { checkTextOnly } from "../../src/model/text-only.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { gif, jpeg, mp3, pdf, plain, png, wav, webp } from "../media-bytes.ts";

const cat = "https://example.com/cat.png";

describe("image()", () => {
  test.each([
    ["png", png],
    ["jpeg", jpeg],
    ["gif", gif],
    ["webp", webp],
  ])("recognizes %s by its bytes", (type, bytes) => {
    expect(image(bytes).image_url.url).toMatch(`data:image/${type};base64,`);
  });

  test("keeps an https URL", () => {
    expect(image(new URL(cat))).toEqual({ type: "image_url", image_url: { url: cat } });
  });

  test.each([
    [() => image("http://example.com/a.png"), "neither https: nor data:"],
    [() => image("cat.png"), '"cat.png" is neither https: nor data:'],
    [() => image(plain), "The 12 bytes are of an unknown type, not an image."],
    [() => image(pdf), "The 12 bytes are application/pdf, not an image."],
    [() => image(png, "image/jpeg"), "The 12 bytes are image/png, not image/jpeg."],
    [() => audio(png), "The bytes are neither WAV nor MP3"],
  ])("rejects another source, case %#", (create, problem) => {
    expect(create).toThrow(problem);
  });
});

test("text() joins the text parts of a content", () => {
  const content: Content = [
    { type: "text", text: "Look: " },
    image(png),
    { type: "text", text: "red?" },
  ];
  expect(text(content)).toBe("Look: red?");
  expect(text("plain")).toBe("plain");
});

test("describeContent() names the parts that are not text, with type and size", () => {
  const content: Content = [
    { type: "text", text: "Compare." },
    image(png),
    image(cat),
    audio(wav),
    file("a.pdf", pdf),
  ];
  expect(describeContent(content).split("\n")).toEqual([
    "Compare.",
    "[image: image/png, 12 bytes]",
    `[image: ${cat}]`,
    "[audio: audio/wav, 12 bytes]",
    "[file: a.pdf, application/pdf, 12 bytes]",
  ]);
});

const png64 = image(png).image_url.url.split(",")[1]!;
const imageOf = (url: unknown): Message =>
  ({ role: "user", content: [{ type: "image_url", image_url: { url } }] }) as Message;

function show(prompt: readonly unknown[], maxMediaBytes?: number) {
  return defineEnvironment({
    name: "show",
    media: { kinds: ["image", "audio", "file"], maxBytes: maxMediaBytes },
    dataset: () => [{ prompt: prompt as readonly Message[] }],
    rubric: { one: () => 1 },
  })();
}

describe("the prompt of a dataset's row", () => {
  test("may contain images, audio and files", async () => {
    const parts = [image(png), image(cat), audio(mp3), file("a.txt", plain), file("b.pdf", pdf)];
    const environment = show([user(parts)]);
    const { rollouts } = await evaluate(environment, { model: scriptedModel("ok") });
    expect(rollouts[0]).toMatchObject({ status: "scored", prompt: [{ content: parts }] });
  });

  test.each([
    [[{ role: "user", content: 7 }], "message 0: its content is neither text nor a list of parts"],
    [[{ role: "user", content: [] }], "message 0: its content is neither text nor a list of parts"],
    [[{ role: "user", content: [{ type: "image" }] }], "its content is neither text nor a list of"],
    [[{ role: "system", content: [image(png)] }], "which a message of the role system requires"],
    [
      [imageOf("http://example.com/a.png")],
      'part 0: its URL "http://example.com/a.png" is neither',
    ],
    [[imageOf("media/a.png")], 'its URL "media/a.png" is neither https: nor data:'],
    [[imageOf("data:image/png,abc")], "is neither https: nor data: in base64"],
    [[imageOf(7)], "its content is neither text nor a list of parts"],
    [
      [imageOf(`data:image/tiff;base64,${png64}`)],
      "its media type image/tiff is unknown. Use image/png",
    ],
    [[imageOf(`data:image/jpeg;base64,${png64}`)], "is image/jpeg, but its bytes are image/png"],
    [[imageOf("data:image/png;base64,AAAA")], "is image/png, but its bytes are of another type"],
    [[imageOf("data:image/png;base64,")], "it has no bytes"],
    [[imageOf(`data:image/png;base64,${png64}!`)], "its bytes are not valid base64"],
    [
      [user("a"), user([{ type: "text", text: "b" }, image(png)])],
      "message 1: part 1: it has 12 bytes, more than the limit of 11",
    ],
  ])("is rejected if a content is not valid, case %#", async (prompt, problem) => {
    const limit = problem.includes("limit") ? 11 : undefined;
    await expect(examples(show(prompt, limit)).next()).rejects.toThrow(problem);
  });

  test("is rejected if the definition does not declare the kind of a part", async () => {
    const environment = defineEnvironment({
      name: "undeclared",
      dataset: () => [{ prompt: [user([image(png)])] }],
      rubric: { one: () => 1 },
    });
    await expect(examples(environment()).next()).rejects.toThrow(
      'The prompt of example 0 of the dataset is not valid: message 0: part 0: it is an image, which the definition does not declare. Add media: { kinds: ["image"] }.',
    );
  });
});

describe("during an episode", () => {
  const answers = (answer: unknown) =>
    defineEnvironment({
      name: "answers",
      media: { kinds: ["image"] },
      dataset: () => [{ prompt: "Hello." }],
      tools: {
        look: { description: "Looks", input: z.object({}), execute: () => answer },
      },
      respond: () => answer as readonly Message[],
      rubric: { one: () => 1 },
    })();
  const look = {
    ...assistant(""),
    tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }],
  } as const;

  async function step(answer: unknown, message: Parameters<ReturnType<typeof episode>["step"]>[0]) {
    const running = episode(answers(answer), { prompt: "Hello." });
    await running.start();
    return running.step(message);
  }

  test("respond may return images", async () => {
    const shown = [user([image(png)])];
    expect((await step(shown, assistant("Go."))).messages).toEqual(shown);
  });

  test("respond that returns an undeclared part fails the rollout", async () => {
    await expect(step([user([audio(wav)])], assistant("Go."))).rejects.toThrow(
      "respond returned messages that are not valid: message 0: part 0: it is audio, which the definition does not declare.",
    );
  });

  test.each([
    ["a part", image(png), [image(png)]],
    [
      "parts",
      [{ type: "text", text: "Here." }, image(png)],
      [{ type: "text", text: "Here." }, image(png)],
    ],
    ["a list of other objects", [{ type: "text" }], '[{"type":"text"}]'],
  ])("a tool may return %s", async (_, result, content) => {
    expect((await step(result, look)).messages).toEqual([
      { role: "tool", tool_call_id: "c", content },
    ]);
  });

  test("a tool that returns an invalid part reports why", async () => {
    const { messages } = await step([imageOf("cat.png").content].flat(), look);
    expect(messages[0]!.content).toContain(
      'look failed: its result is not valid: part 0: its URL "cat.png" is neither https: nor data:',
    );
  });
});

test("a model that reads text only refuses an environment with images before its first call", async () => {
  const blind = Object.assign(async () => Promise.reject(new Error("must not be called")), {
    check: checkTextOnly("tiny"),
  });
  await expect(evaluate(show([user([image(png)])]), { model: blind })).rejects.toThrow(
    "tiny reads text only, and show sends images and audio and files. Choose a model that accepts images and audio and files.",
  );
});
