/** The measure of the notes: what an answer leans on, and whether notes hold it. */
import { expect, it } from "vitest";
import { createNotes } from "../../src/notes/notes.js";
import { findTokens } from "../bench/recorded/leant-on.js";
import { formatTable, measureSession } from "../bench/recorded/measure-notes.js";
import type { RecordedSession } from "../bench/recorded/recorded-session.js";

const kinds = (text: string): string[] => findTokens(text).map(({ kind, text: token }) => `${kind} ${token}`);

it("what an answer leans on are identifiers, paths and numbers, not words and positions", () => {
  expect(kinds("Set maxBytes in src/a/b.ts to 5432, not 7; see #1263 and commit 9f5a3c7.")).toEqual([
    "path src/a/b.ts",
    "number 5432",
    "number 1263",
    "number 9f5a3c7",
    "identifier maxBytes",
  ]);
  expect(kinds("sed -n '100,260p' a | head -120 | grep '\\bfoo'")).toEqual([]);
});

it("notes hold what a later answer says again, if it was known and nothing has brought it since", async () => {
  const edit = {
    tool: "edit",
    args: { filePath: "/p/src/a.ts", oldString: "x", newString: "readPort()" },
    result: "",
  };
  const look = { tool: "bash", args: { command: "npm run lookUp" }, result: "error in hiddenName" };
  const idle = Array.from({ length: 9 }, () => ({
    say: "Still at it.",
    calls: [{ tool: "list", args: {}, result: "" }],
  }));
  const session: RecordedSession = {
    id: "one",
    source: { repo: "a/b" },
    cwd: "/p",
    turns: [
      { user: "Go.", steps: [{ say: "", calls: [edit, look] }, ...idle] },
      { user: "On.", steps: [{ say: "readPort in src/a.ts and hiddenName, then newName.", calls: [] }] },
    ],
  };
  const row = await measureSession(session, createNotes);
  expect(row.all).toEqual({
    identifier: { leant: 2, held: 1 },
    path: { leant: 1, held: 1 },
    number: { leant: 0, held: 0 },
  });
  expect([...row.missing.keys()]).toEqual(["hiddenName"]);
  expect(row.bytesWithoutRequests).toBeLessThan(row.bytes);
  expect(formatTable("now", [row])).toContain("| one | 3 | 66.7 % | 50.0 % | 100.0 % | - |");
});
