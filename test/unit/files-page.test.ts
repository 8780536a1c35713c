import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { layers } from "../../layers/index.js";
import { kernelFiles, stateFolderFiles } from "../../src/kernel/file-kinds.js";

const page = readFileSync("docs/files.md", "utf8");
/** The paths in the first columns of the page's tables. */
const listed = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => [...(line.split(" | ")[0] ?? "").matchAll(/`(\.opencode\/[^`]+)`/g)])
  .map(([, path = ""]) => path);
const named = [...kernelFiles, ...layers.flatMap(({ files }) => files)].map(({ path }) => path);

it("docs/files.md lists every kind of file that the kernel and the layers leave, and no other", () => {
  expect([...listed].sort()).toEqual([...new Set(named)].sort());
});

it("docs/files.md lists every kind of file in the user's state folder that expires", () => {
  const rows = page.slice(page.indexOf("## In the user's state folder")).split("\n");
  const names = rows.filter((line) => line.startsWith("| `")).map((line) => line.split(" | ")[0]);
  expect(stateFolderFiles.filter(({ path }) => !names.some((cell) => cell?.includes(`\`${path}\``)))).toEqual(
    [],
  );
});

it("every kind of file belongs to one layer or to the kernel", () => {
  expect(named.filter((path, index) => named.indexOf(path) !== index)).toEqual([]);
});
