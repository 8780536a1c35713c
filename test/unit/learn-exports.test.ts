/** Session exports as strata learn reads them. */
import { describe, expect, it } from "vitest";
import { createTemplateCheck } from "../../src/host/1/past-sessions.js";
import { PROJECT } from "../support/fake-host.js";
import { type Ran, runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";

const RULE = "From now on always indent with tabs.";
const PORT = "Remember: the staging port is 5432.";
const PUSH = "Never push to main without asking.";

interface Given {
  role?: string;
  atMs?: number;
  parts?: object[];
}

const message = (
  id: string,
  text: string,
  { atMs = 1_700_000_000_000, parts, role = "user" }: Given = {},
) => ({
  info: { id, role, sessionID: "ses_1", time: { created: atMs } },
  parts: parts ?? [{ id: `prt_${id}`, type: "text", text }],
});
const session = (id: string, messages: readonly object[], more: object = {}): string =>
  JSON.stringify({ info: { id, title: "talk", time: { created: 1 }, ...more }, messages }, null, 2);

async function learn(text: string, more: Record<string, string> = {}): Promise<Ran & { kept: string[] }> {
  const files = openRepository({ "/e.json": text, ...more });
  const ran = await runStrata(files, "learn /e.json --json");
  const kept = ran.out === "" ? [] : ran.out.split("\n").map((line) => JSON.parse(line).content);
  return { ...ran, kept };
}

describe("an export of a session", () => {
  it("an export gives the user's messages, with their ids, session and dates", async () => {
    const files = openRepository({
      "/e.json": session("ses_1", [message("m1", RULE), message("m2", PORT, { role: "assistant" })]),
    });
    const { code, out } = await runStrata(files, "learn /e.json --json");
    expect([code, JSON.parse(out)]).toMatchObject([0, { message: "m1", session: "ses_1", content: RULE }]);
    const shown = JSON.parse((await runStrata(files, "show tabs --json")).out);
    expect(shown.created).toBe(new Date(1_700_000_000_000).toISOString());
  });

  it("sessions of subagents and Strata's own sessions are left out", async () => {
    const text = [
      session("ses_1", [message("m1", RULE)], { parentID: "ses_0" }),
      session("ses_2", [message("m2", PORT)], { title: "[strata fork] look · 77" }),
      session("ses_3", [message("m3", PUSH)]),
    ].join("\n");
    expect((await learn(text)).kept).toEqual([PUSH]);
  });

  it("a message that a fork has from its session counts once", async () => {
    const shared = message("m1", RULE);
    const copy = { ...shared, info: { ...shared.info, id: "m9", sessionID: "ses_2" } };
    const ran = await learn(
      `${session("ses_1", [shared])}\n${session("ses_2", [copy, message("m8", PORT, { atMs: 5 })])}`,
    );
    expect(ran.kept).toEqual([RULE, PORT]);
    expect(ran.err).toContain("from 2 messages");
  });

  it("a text from a command's template is left out, also where arguments stand in it", async () => {
    const command = "---\ndescription: x\n---\nFrom now on always check $ARGUMENTS twice.";
    const text = session("ses_1", [
      message("m1", "From now on always check the build twice.", { atMs: 1 }),
      message("m2", "From now on always check the build.", { atMs: 2 }),
    ]);
    const { kept } = await learn(text, { [`${PROJECT}/.opencode/command/deep/check.md`]: command });
    expect(kept).toEqual(["From now on always check the build."]);
  });

  it("an export that is cut off and a message that is none are named with their lines, and the others are read", async () => {
    const whole = session("ses_1", [{ no: "message" }, message("m1", RULE)]);
    const ran = await learn(`${whole}\n${session("ses_2", [message("m2", PORT)]).slice(0, -20)}`);
    expect([ran.code, ran.kept]).toEqual([1, [RULE]]);
    expect(ran.err).toContain("/e.json:1: expected messages with info and parts, 1 are something else");
    expect(ran.err).toMatch(/\/e\.json:\d\d: expected a whole session; export it again/);
  });
});

describe("templates of commands", () => {
  it("a template is recognised with its arguments and output, and the user's own words are not", () => {
    const isTemplate = createTemplateCheck([
      "Review $1 against $2:\n!`git diff`\nBe strict.",
      "$ARGUMENTS",
      "go",
    ]);
    expect(isTemplate("Review a.ts against main:\n+ more\nBe strict.")).toBe(true);
    expect(isTemplate("Review a.ts against main, please.")).toBe(false);
    expect(isTemplate("go")).toBe(false);
    expect(isTemplate("Create or update `AGENTS.md` for this repository.\n\nRules: …")).toBe(true);
  });
});
