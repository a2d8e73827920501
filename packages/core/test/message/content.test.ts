import { describe, expect, test } from "vitest";
import * as z from "zod";

import { examples } from "../../src/definition/read-dataset.ts";
import { episode } from "../../src/episode/episode.ts";
import {
  assistantMessage,
  audioPart,
  type Content,
  defineEnvironment,
  evaluate,
  filePart,
  imagePart,
  type Message,
  textOf,
  userMessage,
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
    expect(imagePart(bytes).image_url.url).toMatch(`data:image/${type};base64,`);
  });

  test("keeps an https URL", () => {
    expect(imagePart(new URL(cat))).toEqual({ type: "image_url", image_url: { url: cat } });
  });

  test.each([
    [() => imagePart("http://example.com/a.png"), "neither https: nor data:"],
    [() => imagePart("cat.png"), '"cat.png" is neither https: nor data:'],
    [() => imagePart(plain), "The 12 bytes are of an unknown type, not an image."],
    [() => imagePart(pdf), "The 12 bytes are application/pdf, not an image."],
    [() => imagePart(png, "image/jpeg"), "The 12 bytes are image/png, not image/jpeg."],
    [() => audioPart(png), "The bytes are neither WAV nor MP3"],
  ])("rejects another source, case %#", (create, problem) => {
    expect(create).toThrow(problem);
  });
});

test("text() joins the text parts of a content", () => {
  const content: Content = [
    { type: "text", text: "Look: " },
    imagePart(png),
    { type: "text", text: "red?" },
  ];
  expect(textOf(content)).toBe("Look: red?");
  expect(textOf("plain")).toBe("plain");
});

test("describeContent() names the parts that are not text, with type and size", () => {
  const content: Content = [
    { type: "text", text: "Compare." },
    imagePart(png),
    imagePart(cat),
    audioPart(wav),
    filePart("a.pdf", pdf),
  ];
  expect(describeContent(content).split("\n")).toEqual([
    "Compare.",
    "[image: image/png, 12 bytes]",
    `[image: ${cat}]`,
    "[audio: audio/wav, 12 bytes]",
    "[file: a.pdf, application/pdf, 12 bytes]",
  ]);
});

const png64 = imagePart(png).image_url.url.split(",")[1]!;
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
    const parts = [
      imagePart(png),
      imagePart(cat),
      audioPart(mp3),
      filePart("a.txt", plain),
      filePart("b.pdf", pdf),
    ];
    const environment = show([userMessage(parts)]);
    const { rollouts } = await evaluate(environment, { model: scriptedModel("ok") });
    expect(rollouts[0]).toMatchObject({ status: "scored", prompt: [{ content: parts }] });
  });

  test.each([
    [[{ role: "user", content: 7 }], "message 0: its content is neither text nor a list of parts"],
    [[{ role: "user", content: [] }], "message 0: its content is neither text nor a list of parts"],
    [[{ role: "user", content: [{ type: "image" }] }], "its content is neither text nor a list of"],
    [
      [{ role: "system", content: [imagePart(png)] }],
      "which a message of the role system requires",
    ],
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
      [userMessage("a"), userMessage([{ type: "text", text: "b" }, imagePart(png)])],
      "message 1: part 1: it has 12 bytes, more than the limit of 11",
    ],
  ])("is rejected if a content is not valid, case %#", async (prompt, problem) => {
    const limit = problem.includes("limit") ? 11 : undefined;
    await expect(examples(show(prompt, limit)).next()).rejects.toThrow(problem);
  });

  test("is rejected if the definition does not declare the kind of a part", async () => {
    const environment = defineEnvironment({
      name: "undeclared",
      dataset: () => [{ prompt: [userMessage([imagePart(png)])] }],
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
    ...assistantMessage(""),
    tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }],
  } as const;

  async function step(answer: unknown, message: Parameters<ReturnType<typeof episode>["step"]>[0]) {
    const running = episode(answers(answer), { prompt: "Hello." });
    await running.start();
    return running.step(message);
  }

  test("respond may return images", async () => {
    const shown = [userMessage([imagePart(png)])];
    expect((await step(shown, assistantMessage("Go."))).messages).toEqual(shown);
  });

  test("respond that returns an undeclared part fails the rollout", async () => {
    await expect(step([userMessage([audioPart(wav)])], assistantMessage("Go."))).rejects.toThrow(
      "respond returned messages that are not valid: message 0: part 0: it is audio, which the definition does not declare.",
    );
  });

  test.each([
    ["a part", imagePart(png), [imagePart(png)]],
    [
      "parts",
      [{ type: "text", text: "Here." }, imagePart(png)],
      [{ type: "text", text: "Here." }, imagePart(png)],
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
  await expect(evaluate(show([userMessage([imagePart(png)])]), { model: blind })).rejects.toThrow(
    "tiny reads text only, and show sends images and audio and files. Choose a model that accepts images and audio and files.",
  );
});
