import { expect, it } from "vitest";
import { parseJson } from "../../src/base/shape.js";
import { readPlainText, readText } from "../../src/io/files.js";
import { createMemoryFiles } from "../support/memory-files.js";

const files = createMemoryFiles({ "/a": "zwölf", "/empty": "", "/bytes": new Uint8Array([0x61, 0xff]) });

it("the text of a file is its UTF-8, with a mark for invalid bytes, and absent if there is no file", async () => {
  const texts = await Promise.all(["/a", "/empty", "/bytes", "/none"].map((path) => readText(files, path)));
  expect(texts).toEqual(["zwölf", "", "a\ufffd", undefined]);
});

it("a folder in place of a file rejects, and has no plain text", async () => {
  const inFolder = createMemoryFiles({ "/folder/x": "" });
  await expect(readText(inFolder, "/folder")).rejects.toThrow("EISDIR");
  expect(await readPlainText(inFolder, "/folder")).toBe("");
});

it("plain text is not read through a link", async () => {
  const linked = createMemoryFiles({ "/a": "somebody else's", "/b": "ours" });
  linked.links.add("/a");
  expect(await Promise.all(["/a", "/b", "/none"].map((path) => readPlainText(linked, path)))).toEqual([
    "",
    "ours",
    "",
  ]);
});

it("invalid JSON has no value, and never throws", () => {
  expect(['{"a":1}', "null", "", "{", "nonsense"].map(parseJson)).toEqual([
    { a: 1 },
    null,
    undefined,
    undefined,
    undefined,
  ]);
});
