import { expect, it } from "vitest";
import { nodeFiles } from "../../src/io/node-files.js";
import { createPrompts } from "../../src/io/prompts.js";
import { HEADINGS, parseSections } from "../../src/notes/page.js";
import { createMemoryFiles } from "../support/memory-files.js";

it("a prompt is found in the package and read once", async () => {
  let reads = 0;
  const read = (path: string) => {
    reads++;
    return nodeFiles.read(path);
  };
  const prompts = createPrompts({ ...nodeFiles, read });
  const text = await prompts.read("session-notes");
  const first = reads;
  expect(await prompts.read("session-notes")).toBe(text);
  expect(reads).toBe(first);
});

it("the prompt for the notes asks for the six headings that the check wants, in their order", async () => {
  const text = await createPrompts(nodeFiles).read("session-notes");
  const asked = text.slice(text.indexOf(`## ${HEADINGS[0]}`));
  expect(parseSections(asked)).toHaveProperty("sections");
});

it("a prompt that is not there is an error that says where it should be", async () => {
  await expect(createPrompts(createMemoryFiles()).read("nothing")).rejects.toThrow(
    /Expected the prompt "nothing" at .*prompts\/nothing\.md/,
  );
});
