import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { createStory } from "../demo/story.js";

it("the demo's story finds every file of this repository that it reads, and plays forty turns", () => {
  expect(createStory((path) => join(resolve("."), path))).toHaveLength(40);
});
