/** Every known kind of damage to a memory, planted in an intact project. */
import { createRunningProcesses } from "../../src/host/running-processes.js";
import { damagedFiles } from "./damaged-files.js";
import { byHand, type Damage, DECISION, edit, FOLDER, ledgerOf, STATE } from "./sound-project.js";

async function formatDeadToken(): Promise<string> {
  const own = await createRunningProcesses().own();
  const process = { ...own, id: 4_194_999, start: "1" };
  return JSON.stringify({ id: "dead", instance: "gone", process, since: "2026-11-20T09:00:00Z" });
}

/** A lock that came with a copy, an image or a commit of the project. */
export function formatForeignToken(): string {
  const process = { id: 1234, start: "1", host: "laptop", machine: "laptop" };
  return JSON.stringify({ id: "theirs", instance: "x", process, since: "2025-01-01T00:00:00Z" });
}

/** Damage to ledger, index, machine state and git's view. */
const damagedState: readonly Damage[] = [
  {
    what: "a torn line at the end of the ledger",
    plant: (files) => edit(files, ledgerOf(files), (text) => `${text}{"v":1,"id":"half`),
    file: /ledger\/2026-11-\w+\.jsonl/,
    says: /line 5 is cut off/,
  },
  {
    what: "a line of the ledger that cannot be read",
    plant: (files) => edit(files, ledgerOf(files), (text) => `oops\n${text}`),
    file: /ledger\/2026-11-\w+\.jsonl/,
    says: /line 1 cannot be read/,
  },
  {
    what: "a line of the ledger that was changed",
    plant: (files) => edit(files, ledgerOf(files), (text) => text.replace("put aside", "put away")),
    file: /ledger\/2026-11-\w+\.jsonl/,
    says: /line 3 \(idea\/an-idea-put-aside\) was changed after it was written/,
  },
  {
    what: "a line missing in the ledger",
    plant: (files) =>
      edit(files, ledgerOf(files), (text) =>
        text
          .split("\n")
          .filter((_, n) => n !== 2)
          .join("\n"),
      ),
    file: /ledger\/2026-11-\w+\.jsonl/,
    says: /continues from a version of idea\/an-idea-put-aside that no line records/,
  },
  {
    what: "no ledger",
    plant: (files) => files.remove(ledgerOf(files)),
    file: /memory\/ledger/,
    says: /the ledger is missing: 3 memories have no history/,
    mends: [/\/ledger\/[^/]+\.jsonl$/],
  },
  {
    what: "no index",
    plant: (files) => files.remove(`${FOLDER}/MEMORY.md`),
    file: /memory\/MEMORY\.md/,
    says: /the index is missing/,
    mends: [/memory\/MEMORY\.md$/],
  },
  {
    what: "an index with a different entry",
    plant: (files) => edit(files, `${FOLDER}/MEMORY.md`, (text) => text.replace("8080]", "9090]")),
    file: /memory\/MEMORY\.md/,
    says: /is out of date: its line for \S+ does not match the file/,
    mends: [/memory\/MEMORY\.md$/],
  },
  {
    what: "an index without one of the memories",
    plant: (files) => edit(files, `${FOLDER}/MEMORY.md`, (text) => text.replace(/^- .*second idea.*\n/m, "")),
    file: /memory\/MEMORY\.md/,
    says: /it lists 1 memories, but there are 2/,
    mends: [/memory\/MEMORY\.md$/],
  },
  {
    what: "an index written by hand",
    plant: (files) => files.writeWhole(`${FOLDER}/MEMORY.md`, "# My notes"),
    file: /memory\/MEMORY\.md/,
    says: /not written by Strata/,
    isNote: true,
  },
  {
    what: "a stale lock",
    plant: async (files) => files.writeWhole(`${STATE}/lock`, await formatDeadToken()),
    file: /internal\/lock/,
    says: /stale lock: instance gone/,
    mends: [/internal\/lock$/],
  },
  {
    what: "a lock that came with a copy from another machine",
    plant: async (files) => files.writeWhole(`${STATE}/lock`, formatForeignToken()),
    file: /internal\/lock/,
    says: /stale lock: instance x \(process 1234 on laptop\)/,
    mends: [/internal\/lock$/],
  },
  {
    what: "a lock without an owner",
    plant: (files) => files.writeWhole(`${STATE}/index.lock`, "?"),
    file: /internal\/index\.lock/,
    says: /without an owner/,
    mends: [/internal\/index\.lock$/],
  },
  {
    what: "an unfinished change",
    async plant(files) {
      const ledger = ledgerOf(files);
      const line = JSON.parse((files.text(ledger) ?? "").split("\n")[1] ?? "");
      const begun = {
        ...line,
        id: "begun",
        key: "idea/third",
        path: "idea/third.md",
      };
      const pending = { lines: [begun], ledgerFile: ledger.slice(ledger.lastIndexOf("/") + 1) };
      await files.writeWhole(`${STATE}/pending.json`, JSON.stringify(pending));
    },
    file: /internal\/pending\.json/,
    says: /remember of idea\/third was started but not finished/,
    mends: [/pending\.json$/, /idea\/third\.md$/, ...byHand],
  },
  {
    what: "a torn record of a change",
    plant: (files) => files.writeWhole(`${STATE}/pending.json`, '{"line":'),
    file: /internal\/pending\.json/,
    says: /nothing of it is done: it is incomplete/,
    mends: [/pending\.json$/, /pending\.refused-1\.json$/],
  },
  {
    what: "a line of the ledger that names a file outside the folder",
    plant: (files) =>
      edit(files, ledgerOf(files), (text) => {
        const line = JSON.parse(text.split("\n")[0] ?? "");
        return `${text}${JSON.stringify({ ...line, id: "theirs", path: "../../../.bashrc" })}\n`;
      }),
    file: /ledger\/2026-11-\w+\.jsonl/,
    says: /line 5 is not a change of a memory and was not applied: "\.\.\/\.\.\/\.\.\/\.bashrc" is not a memory path/,
  },
  {
    what: "an unfinished change of a file outside the folder",
    async plant(files) {
      const ledger = ledgerOf(files);
      const line = JSON.parse((files.text(ledger) ?? "").split("\n")[1] ?? "");
      const pending = {
        lines: [line, { ...line, path: "archive/../../x.md" }],
        ledgerFile: ledger.slice(ledger.lastIndexOf("/") + 1),
      };
      await files.writeWhole(`${STATE}/pending.json`, JSON.stringify(pending));
    },
    file: /internal\/pending\.json/,
    says: /nothing of it is done: line 2 of it .*"archive\/\.\.\/\.\.\/x\.md" is not a memory path/,
    mends: [/pending\.json$/, /pending\.refused-1\.json$/],
  },
  {
    what: "an unfinished change that was set aside",
    plant: (files) => files.writeWhole(`${STATE}/pending.refused-1.json`, "{}"),
    file: /internal\/pending\.refused-1\.json/,
    says: /was refused/,
  },
  {
    what: "temporary files",
    async plant(files) {
      await files.writeWhole(`${FOLDER}/decision/x.md.1234567`, "half");
      await files.writeWhole(`${FOLDER}/ledger/x.jsonl.0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f`, "half");
    },
    file: /decision\/x\.md\.1234567|x\.jsonl\.0a1b/,
    says: /a process that was killed/,
    mends: [/x\.md\.1234567$/, /x\.jsonl\.0a1b/],
  },
  {
    what: "private memories that git does not ignore",
    plant: (files) => files.remove(`${FOLDER}/private/.gitignore`),
    file: /private\/\.gitignore/,
    says: /would be committed/,
    mends: [/private\/\.gitignore$/],
  },
  {
    what: "private memories that the user has unignored in git",
    plant: (files) => files.writeWhole(`${FOLDER}/private/.gitignore`, "*\n!preference/\n"),
    file: /private\/\.gitignore/,
    says: /does not keep the whole folder out of git/,
    mends: [/private\/\.gitignore$/],
  },
  {
    what: "a memory that has expired",
    plant: (files) => edit(files, DECISION, (text) => text.replace("---\n", "---\nexpires: 2026-01-31\n")),
    file: /decision\/server-listens/,
    says: /expired on 2026-01-31/,
    mends: [...byHand, /decision\/server-listens/, /opencode-strata/],
  },
  {
    what: "machine state that cannot be read",
    plant: (files) => files.writeWhole(`${STATE}/known.jsonl`, "{"),
    file: /internal\/known\.jsonl/,
    says: /cannot be used/,
    isNote: true,
    mends: [/known\.jsonl$/],
  },
];

export const damages: readonly Damage[] = [...damagedFiles, ...damagedState];
