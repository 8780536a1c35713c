/** What failed, in errors.log and behind the results of those who do it again. */
import { describe, expect, it } from "vitest";
import type { ToolPart } from "../../src/io/message.js";
import { redactSecrets } from "../../src/text/secrets/secrets.js";
import { PROJECT } from "../support/fake-host.js";
import { call } from "../support/messages.js";
import { createSession, type Session } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

const LOG = `${PROJECT}/.opencode/memory/errors.log`;
const MISSING = 'npm error Missing script: "test"';
const DAY = 86_400_000;

async function open(given: Parameters<typeof openWorld>[0] = {}) {
  const world = await openWorld(given);
  return { world, session: createSession(world.clock) };
}

/** A command that has ended. */
function ran(world: World, command: string, exit: number | null, output = ""): ToolPart {
  return call("bash", output, {
    startMs: world.clock.now(),
    state: { input: { command }, metadata: { exit } },
  });
}

/** A tool that did not work, or did. */
function used(world: World, tool: string, input: Record<string, unknown>, error?: string): ToolPart {
  const state = error === undefined ? { input } : { status: "error", error, input };
  return call(tool, "done", { startMs: world.clock.now(), state });
}

/** One answer with these calls, and the request with their results; what stands behind the last of them. */
async function does(world: World, session: Session, ...calls: ToolPart[]): Promise<string> {
  session.answer(calls);
  const part = (await world.request([...session.messages]))
    .at(-1)
    ?.parts.findLast(({ type }) => type === "tool");
  await world.strata.idle();
  const { output, error, status } = (part as ToolPart).state;
  const text = (status === "error" ? error : output) ?? "";
  return text.includes("[Strata]") ? text.slice(text.indexOf("[Strata]")) : "";
}

const logOf = (world: World): string[] =>
  (world.files.text(LOG) ?? "").split("\n").filter((line) => line !== "");

describe("a failed call", () => {
  it("a failed call is one line that a person can read, with the number of the attempt, and its resolution another", async () => {
    const { world, session } = await open();
    session.user("Run the tests.");
    await does(world, session, ran(world, "npm test", 1, MISSING));
    await does(world, session, ran(world, "npm test", 1, MISSING));
    await does(world, session, ran(world, "npm run test:unit", 0, "ok"));
    expect(logOf(world).map((line) => line.slice(0, line.indexOf("  [")))).toEqual([
      '2026-11-21 09:00:10  failed    bash  npm test  exit 1: npm error Missing script: "test"  attempt 1',
      '2026-11-21 09:00:16  failed    bash  npm test  exit 1: npm error Missing script: "test"  attempt 2',
      "2026-11-21 09:00:22  resolved  bash  npm test  worked as: npm run test:unit",
    ]);
    expect(world.files.text(`${PROJECT}/.opencode/memory/.gitignore`)).toBe("/errors.log*\n");
  });

  it("a failed call of any tool is written down, of a subagent too, and one that works, is refused or answers is not", async () => {
    const { world, session } = await open();
    const child = createSession(world.clock, "ses_child");
    session.user("go");
    child.user("go");
    const rejected = "The user rejected permission to use this specific tool call.";
    await does(
      world,
      session,
      used(world, "edit", { filePath: `${PROJECT}/a.ts` }, "oldString not found in content"),
    );
    await does(world, child, used(world, "github_get_issue", { number: 7 }, "404: no such issue"));
    await does(world, session, used(world, "write", { filePath: "b.ts" }, rejected));
    await does(
      world,
      session,
      ran(world, "grep x y", 1),
      ran(world, "npm test", 1, "3 failed"),
      ran(world, "ls", 0),
    );
    const lines = logOf(world);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("failed    edit  a.ts  oldString not found in content  attempt 1  [ses_1 ");
    expect(lines[1]).toContain(
      'failed    github_get_issue  {"number":7}  404: no such issue  attempt 1  [ses_child ',
    );
  });

  it("a failed call is written without secrets, and without what a file of secrets holds", async () => {
    const { world, session } = await open();
    session.user("go");
    const token = "ghp_Zq83kfTw19XbVn27LmRc45YsUd60HaJe12Pi";
    const command = `curl -fH "Authorization: Bearer ${token}" https://api.example.com`;
    expect(redactSecrets(command).found).toHaveLength(1);
    await does(world, session, ran(world, command, 22, `error: token ${token} is not allowed`));
    await does(world, session, ran(world, "cat .env nowhere", 1, "cat: error DB_PASSWORD=hunter2trustno1"));
    const text = world.files.text(LOG);
    expect(text).not.toContain(token);
    expect(text).not.toContain("hunter2");
    expect(logOf(world)).toHaveLength(2);
  });
});

describe("a call that fails as it did before", () => {
  it("a call that fails as it did before is answered with when that was and what came of it, in this session and in later ones", async () => {
    const { world, session } = await open();
    session.user("go");
    expect(await does(world, session, ran(world, "npm test", 1, MISSING))).toBe("");
    expect(await does(world, session, ran(world, "npm  test", 1, MISSING))).toBe(
      "[Strata] This very call failed the same way once before, on 2026-11-21 (.opencode/memory/errors.log). " +
        "Nothing that resolved it is known: do it in another way rather than once more.",
    );
    await does(world, session, ran(world, "npm run test:unit", 0, "ok"));

    world.clock.advance(3 * DAY);
    const later = await world.restart();
    const next = createSession(later.clock, "ses_2");
    next.user("go");
    expect(await does(later, next, ran(later, "npm test", 1, MISSING))).toBe(
      "[Strata] This very call failed the same way twice before, on 2026-11-21 (.opencode/memory/errors.log). " +
        'What came of it on 2026-11-21: "worked as: npm run test:unit"',
    );
    later.clock.advance(DAY);
    expect(await does(later, next, ran(later, "npm test", 1, MISSING))).toContain(
      "3 times before, since 2026-11-21, last on 2026-11-24",
    );
    expect(later.ledger("ses_2", "extended").map(({ layer }) => layer)).toEqual(["errors", "errors"]);
  });

  it("a call that fails as it did before is not answered when its message is another one, its arguments are, or it failed twice in one answer", async () => {
    const { world, session } = await open();
    session.user("go");
    const make = (target: string, why: string) => ran(world, `make ${target}`, 2, `make: *** ${why}.  Stop.`);
    const [one, other] = ["No rule to make target 'x'", "No rule to make target 'y'"];
    expect(await does(world, session, make("x", one), make("x", one))).toBe("");
    expect(await does(world, session, make("x", other))).toBe("");
    expect(await does(world, session, make("y", one))).toBe("");
    expect(logOf(world)).toHaveLength(4);
  });
});

describe("errors.log", () => {
  it("errors.log is a person's to edit: a line that was taken out or changed is answered from no more and stays as it is, broken ones are passed over", async () => {
    const { world, session } = await open();
    session.user("go");
    const fail = () => ran(world, "npm test", 1, MISSING);
    await does(world, session, fail());
    await does(world, session, ran(world, "npm run unit-test", 0, "ok"));
    const [failed = "", resolved = ""] = logOf(world);
    const own = resolved.replace("worked as: npm run unit-test", "use\tpnpm, says Ada");
    const text = [
      "# mine",
      "<<<<<<< HEAD",
      "2026-13-99",
      "\u0000\ufffd",
      `${failed}\r`,
      own,
      "torn  fai",
    ].join("\n");
    world.files.contents.set(LOG, Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe])]));
    const again = await world.restart();
    expect(await does(again, session, fail())).toContain("Nothing that resolved it is known");
    expect(again.files.text(LOG)).toContain("use\tpnpm, says Ada");

    again.files.contents.set(LOG, Buffer.from("\n"));
    const empty = await again.restart();
    const next = createSession(empty.clock, "ses_2");
    next.user("go");
    expect(await does(empty, next, fail())).toBe("");
    await empty.request([...session.messages]);
    await empty.strata.idle();
    expect(logOf(empty).map((line) => line.includes("ses_2"))).toEqual([true, false]);
  });
});
