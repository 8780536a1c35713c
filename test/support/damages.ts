/** What may be wrong with a memory, planted in an intact project, and what `strata check` says of it. */
import { hashOf } from "../../src/base/hash.js";
import type { MemoryFiles } from "./memory-files.js";
import { FOLDER, SECRET, STATE } from "./sound-project.js";

const PRIVATE = `${FOLDER}/private/.gitignore`;
const write = (path: string, contents: string) => (files: MemoryFiles) => files.writeWhole(path, contents);
const edit = (path: string, change: (text: string) => string) => (files: MemoryFiles) =>
  files.writeWhole(path, change(files.text(path) ?? ""));
const ledgerOf = (files: MemoryFiles): string =>
  [...files.contents.keys()].find((path) => path.startsWith(`${FOLDER}/ledger/`)) ?? "";
const editLedger = (change: (text: string) => string) => (files: MemoryFiles) =>
  edit(ledgerOf(files), change)(files);

/** A lock that came with a copy, an image or a commit of the project. */
export function formatForeignToken(): string {
  const process = { id: 1234, start: "1", host: "laptop", machine: "laptop" };
  return JSON.stringify({ id: "theirs", instance: "x", process, since: "2025-01-01T00:00:00Z" });
}

async function plantPending(files: MemoryFiles): Promise<void> {
  const ledger = ledgerOf(files);
  const line = JSON.parse((files.text(ledger) ?? "").split("\n")[1] ?? "");
  const contents = `${line.contents}\nAnd a third.\n`;
  const [key, path] = ["idea/third", "idea/third.md"];
  const begun = { ...line, id: "begun", key, path, contents, after: hashOf(contents) };
  const pending = {
    ledger: { [ledger.slice(ledger.lastIndexOf("/") + 1)]: [JSON.stringify(begun)] },
    steps: [begun],
  };
  await files.writeWhole(`${STATE}/pending.json`, JSON.stringify(pending));
}

function plantLink(files: MemoryFiles): void {
  files.contents.set(`${FOLDER}/decision/link.md`, Buffer.from("theirs"));
  files.links.add(`${FOLDER}/decision/link.md`);
}

const nameOutside = (text: string): string => {
  const line = JSON.parse(text.split("\n")[0] ?? "");
  return `${text}${JSON.stringify({ ...line, id: "theirs", path: "../../../.bashrc" })}\n`;
};

const [problem, warning] = ["problem", "warning"] as const;
const LEDGER = /ledger\/2026-11-\w+\.jsonl/;

export const damages = (
  [
    [problem, "an empty file", write(`${FOLDER}/decision/broken.md`, ""), /decision\/broken\.md/, /empty/],
    [
      problem,
      "a secret in a file written by hand",
      write(`${FOLDER}/decision/broken.md`, `# the token is ${SECRET}`),
      /decision\/broken\.md/,
      /it holds a secret \(GitHub token\)/,
    ],
    [problem, "a link out of the folder", plantLink, /decision\/link\.md/, /it is a link/],
    [
      problem,
      "a torn line at the end of the ledger",
      editLedger((text) => `${text}{"v":1,"id":"ha`),
      LEDGER,
      /line 5 cannot be read/,
    ],
    [
      problem,
      "a line of the ledger that was changed",
      editLedger((text) => text.replace("put aside", "put away")),
      LEDGER,
      /line 3 \(idea\/an-idea-put-aside\) was changed after it was written/,
    ],
    [
      problem,
      "a secret in the ledger",
      editLedger((text) => text.replace("put aside", SECRET)),
      LEDGER,
      /line 3 holds a secret \(GitHub token\)/,
    ],
    [
      problem,
      "a line of the ledger that names a file outside the folder",
      editLedger(nameOutside),
      LEDGER,
      /line 5 is not a change of a memory and was not applied: "\.\.\/\.\.\/\.\.\/\.bashrc"/,
    ],
    [
      warning,
      "an unfinished change",
      plantPending,
      /internal\/pending\.json/,
      /was started but not finished/,
    ],
    [
      problem,
      "a torn record of a change",
      write(`${STATE}/pending.json`, '{"line":'),
      /internal\/pending\.json/,
      /so nothing was changed: it is incomplete/,
    ],
    [
      problem,
      "private memories that the user has unignored in git",
      write(PRIVATE, "*\n!preference/\n"),
      /private\/\.gitignore/,
      /does not keep the whole folder out of git/,
    ],
    [
      problem,
      "a mention of a private memory",
      write(`${FOLDER}/decision/hint.md`, "see private/preference/short-answers"),
      /decision\/hint\.md/,
      /names the private memory private\/preference\/short-answers/,
    ],
  ] as const
).map(([level, what, plant, file, says]) => ({
  ...{ level, what, file, says },
  plant: plant as (files: MemoryFiles) => unknown,
}));
