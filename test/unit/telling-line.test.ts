/** The notes and errors.log quote the same line of a failed call: the one that says what went wrong. */
import { describe, expect, it } from "vitest";
import { readEndedCall } from "../../layers/errors/ended-call.js";
import { rankLine } from "../../src/messages/error-line.js";
import { learnCall } from "../../src/notes/learn-call.js";
import { closeDraft, EMPTY_LEDGER, openDraft } from "../../src/notes/ledger.js";
import { PROJECT } from "../support/fake-host.js";
import { call } from "../support/messages.js";

const NPM = `npm error Missing script: "test"
npm error
npm error To see a list of scripts, run:
npm error   npm run
npm error A complete log of this run can be found in: /home/user/.npm/_logs/debug-0.log`;

function quote(output: string): { inNotes: string; inLog: string } {
  const state = { input: { command: "npm test" }, metadata: { exit: 1 }, time: { start: 1, end: 2 } };
  const part = call("bash", output, { state });
  const draft = openDraft(EMPTY_LEDGER);
  learnCall(draft, 1, part, PROJECT);
  const [failure] = closeDraft(draft, EMPTY_LEDGER).failures;
  const attempt = readEndedCall(part, PROJECT);
  return { inNotes: failure?.error ?? "", inLog: attempt?.failure?.message ?? "" };
}

describe("the line that is quoted of a failed call", () => {
  it("the line that is quoted of a failed call says what went wrong, not where its log is, in the notes and in errors.log", () => {
    const { inLog, inNotes } = quote(NPM);
    expect(inNotes).toBe('npm error Missing script: "test"');
    expect(inLog).toBe(`exit 1: ${inNotes}`);
  });

  it.each([
    [
      "src/a.ts:3:5 - error TS2304: Cannot find name 'x'.\n\nFound 1 error in src/a.ts:3",
      "src/a.ts:3:5 - error TS2304: Cannot find name 'x'.",
    ],
    ["Tests: 2 failed", "Tests: 2 failed"],
    ["all done\n<bash_metadata>\ncommand must not run longer\n</bash_metadata>", "all done"],
  ])(
    "the line that is quoted of a failed call is the most telling one, never the host's own: %j",
    (output, line) => {
      expect(quote(output).inNotes).toBe(line);
    },
  );

  it("the line that is quoted of a failed call is quoted without its secrets", () => {
    const token = ["gh", "p_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d"].join("");
    expect(quote(`error: cannot push with ${token}`).inNotes).not.toContain(token);
  });
});

describe("lines that matter", () => {
  it("are ranked: errors, outcomes, positions, words of failure, warnings", () => {
    const lines = [
      "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
      "Tests: 2 failed, 10 passed",
      "commit 0123456789abcdef",
      "diff --git a/x b/x",
      "connection refused",
      "npm warn deprecated: left-pad",
    ];
    expect(lines.map(rankLine)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
