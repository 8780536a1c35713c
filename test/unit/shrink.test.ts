/** Results that are shrunk before they enter the context, and what the rest of the machine makes of them. */
import { describe, expect, it } from "vitest";
import { createGoneAt } from "../../layers/always/baseline/rereads.js";
import type { Message, ToolState } from "../../src/io/message.js";
import { readHistory } from "../../src/messages/history.js";
import { PROJECT } from "../support/fake-host.js";
import { call, outputs } from "../support/messages.js";
import { createSession, type Session } from "../support/session.js";
import { ask, findItem, QUIET, textsOf } from "../support/steering.js";
import { openWorld, type World } from "../support/world.js";

const HOUR = 3_600_000;
const json = `{"id":4711,"body":"${"x".repeat(3_000)}","end":true}`;
const files = Array.from({ length: 90 }, (_, n) => `src/part-${n}.ts is built in its own folder`);
/** One run of the build, in which these lines are new. */
const build = (...own: string[]) => ["$ make", ...files, ...own, "done"].join("\n");
const bash = (output: string, command = "make", state: Partial<ToolState> = {}) =>
  call("bash", output, { state: { input: { command }, metadata: { exit: 0 }, ...state } });

async function open(options: Record<string, unknown> = {}): Promise<{ world: World; session: Session }> {
  const world = await openWorld({ options });
  const session = createSession(world.clock);
  session.user("go");
  return { world, session };
}

/** What the model gets of the last result. */
async function lastShown(world: World, messages: readonly Message[]): Promise<string> {
  return outputs(await world.request(messages)).at(-1) ?? "";
}

/** What the model gets of a command's only run. */
async function shownOf(...given: Parameters<typeof bash>): Promise<string> {
  const { session, world } = await open();
  session.answer([bash(...given)]);
  return lastShown(world, session.messages);
}

const wholeOf = (world: World, shown: string): string | undefined =>
  world.files.text(`${PROJECT}/${/whole in (\S+)/.exec(shown)?.[1]}`);

describe("a shrunk result", () => {
  it("a shrunk result has both ends of a long line, and lies whole in the file that its first line names", async () => {
    const { session, world } = await open();
    session.answer([bash(`first\n${json}\nlast`)]);
    const shown = await lastShown(world, session.messages);
    expect(shown).toMatch(
      /^\[Strata\] Shrunk: 1 long line cut; whole in \.opencode\/tool-results\/\S+\.txt\nfirst\n\{"id":4711,"body":"x+… \[2,\d{3} characters\] …x+","end":true\}\nlast$/,
    );
    expect(shown.length).toBeLessThan(900);
    expect(wholeOf(world, shown)).toBe(`first\n${json}\nlast`);
  });

  it("a shrunk result is the same in every later request, after a restart and a loss of the decisions, and still whole in the host's messages", async () => {
    const { session, world } = await open();
    session.answer([bash(build())]);
    await world.request(session.messages);
    session.answer([bash(build("1 new file"))]);
    const before = structuredClone(session.messages);
    const shown = await lastShown(world, session.messages);
    const [decided] = world.decisions().filter(({ outcome }) => outcome === "shrunk");
    expect(decided).toMatchObject({ layer: "tool-results", text: shown });
    const restarted = await world.restart();
    session.answer([]);
    expect(await lastShown(restarted, session.messages)).toBe(shown);
    expect(session.messages.slice(0, -1)).toEqual(before);
    await restarted.strata.idle();
    const state = [...world.files.contents.keys()].filter((path) => path.includes("/state/decisions/"));
    for (const path of state) world.files.contents.delete(path);
    expect(state).not.toEqual([]);
    expect(await lastShown(await restarted.restart(), session.messages)).toBe(shown);
  });

  it("a shrunk result is in the ledger and the log with what it freed", async () => {
    const { session, world } = await open();
    session.answer([bash(json)]);
    const shown = await lastShown(world, session.messages);
    expect(await world.log()).toContain(
      `shrunk a bash result of ${json.length.toLocaleString("en")} bytes to `,
    );
    const [record, ...more] = world.ledger("ses_1", "shrunk");
    expect(more).toEqual([]);
    expect(record).toMatchObject({ layer: "tool-results", tool: "bash", bytes: json.length });
    const freed = (json.length - shown.length) / 4;
    expect(record?.tokensFreed).toBeGreaterThan(freed * 0.8);
    expect(record?.tokensFreed).toBeLessThan(freed * 1.3);
  });

  it("a result is shrunk only where that saves what a line about it costs, and not with the setting off, or where the tool's results always stay", async () => {
    const long = "y".repeat(1_150);
    expect(await shownOf(`${"short\n".repeat(200)}${long}`)).toContain(long);
    for (const toolResults of [{ shrink: false }, { perTool: { bash: false } }]) {
      const { session, world } = await open({ toolResults });
      session.answer([bash(json)]);
      expect(await lastShown(world, session.messages)).toBe(json);
    }
  });

  it("a result whose file cannot be written stays whole, also when the disk has room again", async () => {
    let isFull = true;
    const world = await openWorld({
      wrap: (inner) => ({
        ...inner,
        writeWhole: (path, content) =>
          isFull && path.includes("/tool-results/")
            ? Promise.reject(new Error("ENOSPC"))
            : inner.writeWhole(path, content),
      }),
    });
    const session = createSession(world.clock);
    session.user("go");
    session.answer([bash(json)]);
    expect(await lastShown(world, session.messages)).toBe(json);
    isFull = false;
    session.answer([]);
    expect(await lastShown(world, session.messages)).toBe(json);
    expect(world.ledger("ses_1", "shrunk")).toEqual([]);
    expect(await world.log()).toContain("cannot move a bash result");
  });

  it("a result that is over the limit is a preview as ever", async () => {
    expect(await shownOf(json.repeat(20))).toContain("was moved out of the context");
  });
});

it("lines that report an error stay, however long, and however often they were shown", async () => {
  const failure = `TypeError: ${"x".repeat(2_000)}`;
  expect(await shownOf(`${json}\n${failure}`)).toContain(`\n${failure}`);
  const { session, world } = await open();
  const failing = build("error: cannot find module './price'", ...files);
  session.answer([bash(failing)]);
  session.answer([bash(failing)]);
  const shown = await lastShown(world, session.messages);
  expect(shown).toContain("error: cannot find module './price'");
  expect(shown.split("\n")).toHaveLength(4);
});

it("lines that a read asked for stay, of a whole file or by offset, and so does what a shell prints of a file, a failed call, and what a server answers", async () => {
  const { session, world } = await open();
  const state = { input: { filePath: "a.json", offset: 1, limit: 40 } };
  for (let time = 0; time < 2; time++) {
    session.answer([
      call("read", json, { state }),
      bash(json, "sed -n '1,40p' a.json"),
      bash(json, "cat a.json"),
      call("bash", "", { state: { status: "error", error: json, input: { command: "jq . a.json" } } }),
      call("github_get_issue", json),
    ]);
  }
  expect(await world.request(session.messages)).toBe(session.messages);
});

it("the next run of a command shows the lines that changed, and one line for those that did not, durations aside", async () => {
  const { session, world } = await open();
  const timed = (ms: number) => files.map((line) => `${line} (${ms} ms)`).join("\n");
  session.answer([bash(`${timed(12)}\n1 file is new\n${timed(12)}`)]);
  session.answer([bash(`${timed(7)}\n2 files are new\n${timed(8)}`)]);
  expect((await lastShown(world, session.messages)).split("\n")).toEqual([
    expect.stringMatching(/^\[Strata\] Shrunk: 180 lines as in the last run of this command; whole in /),
    "… 90 lines as in the last run of this command …",
    "2 files are new",
    "… 90 lines as in the last run of this command …",
  ]);
});

it("the next run is whole if it is of another command, in the same answer, or the model no longer has the last one", async () => {
  const { session, world } = await open();
  session.answer([bash(build(), "make test"), bash(build()), bash(build())]);
  session.answer([bash(build(), "make all")]);
  expect(await world.request(session.messages)).toBe(session.messages);
  const large = (n: number) => build(`${n}`, ...files, ...files, ...files.map((line) => line.repeat(6)));
  session.answer([bash(large(1), "large")]);
  session.answer([bash(large(2).slice(0, 20_000), "large")]);
  expect(await lastShown(world, session.messages)).toBe(large(2).slice(0, 20_000));
});

it("the next run is whole once layer 2 has cleared the only whole one, and the one after that is shrunk again", async () => {
  const { session, world } = await open({ microCompact: { floor: 0, keepRecent: 1 } });
  for (const n of [1, 2]) session.answer([bash(build(`${n}`))]);
  const folded = await lastShown(world, session.messages);
  expect(folded).toContain("[Strata] Shrunk: ");
  session.answer([]);
  world.clock.advance(HOUR);
  session.user("go on");
  const [cleared, still] = outputs(await world.request(session.messages));
  expect(cleared).toContain("[Strata] Cleared: exit 0; ");
  expect(still).toBe(folded);
  session.answer([bash(build("3"))]);
  expect(await lastShown(world, session.messages)).toBe(build("3"));
  session.answer([bash(build("4"))]);
  expect(await lastShown(world, session.messages)).toContain("[Strata] Shrunk: ");
});

it("the next run of a command is found without looking through all others for each, where thousands are decided at once", async () => {
  let reads = 0;
  const { session, world } = await open();
  const input = {
    get command() {
      reads++;
      return "make";
    },
  };
  for (let n = 0; n < 100; n++) session.answer([bash(build(`${n}`), "make", { input })]);
  const shown = outputs(await world.request(session.messages));
  expect(shown.filter((text) => text.startsWith("[Strata] Shrunk: "))).toHaveLength(99);
  expect(reads).toBeLessThan(100 * 30);
});

describe("what tools wrote", () => {
  it("progress that a carriage return has overwritten is left out, and Windows' line ends are none", async () => {
    const progress = Array.from({ length: 300 }, (_, n) => `${n} of 300 files`).join("\r");
    const shown = await shownOf(`fetching\r\n${progress}\ndone\r\n`, "npm ci");
    expect(shown).toMatch(
      /progress that was overwritten; whole in \S+\nfetching\r\n299 of 300 files\ndone\r\n$/,
    );
  });

  it("hunks of lock files and minified files in a diff are left out, and what follows them is shown, also where the diff breaks off", async () => {
    const hunk = (count: number, sign: string, said = count) =>
      `@@ -1,${sign === "-" ? said : 0} +1,${sign === "+" ? said : 0} @@\n${`${sign}some line of it\n`.repeat(count)}`;
    const diff = [
      `diff --git a/pnpm-lock.yaml b/pnpm-lock.yaml\n--- a/pnpm-lock.yaml\n+++ b/pnpm-lock.yaml\n${hunk(200, "+", 900)}`,
      `diff --git a/dist/a.min.js b/dist/a.min.js\n--- a/dist/a.min.js\n+++ b/dist/a.min.js\n${hunk(50, "-")}`,
      `diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n${hunk(2, "+")}`,
    ].join("");
    const shown = await shownOf(`${diff} indented, and no part of it`, "git diff; git status");
    const [first, ...rest] = shown.split("\n");
    expect(first).toContain("[Strata] Shrunk: 252 lines of a generated file; whole in ");
    expect(rest).toEqual([
      ...["diff --git a/pnpm-lock.yaml b/pnpm-lock.yaml", "--- a/pnpm-lock.yaml", "+++ b/pnpm-lock.yaml"],
      "… 201 lines of a generated file …",
      ...["diff --git a/dist/a.min.js b/dist/a.min.js", "--- a/dist/a.min.js", "+++ b/dist/a.min.js"],
      "… 51 lines of a generated file …",
      ...["diff --git a/src/a.ts b/src/a.ts", "--- a/src/a.ts", "+++ b/src/a.ts", "@@ -1,0 +1,2 @@"],
      ...["+some line of it", "+some line of it", " indented, and no part of it"],
    ]);
  });
});

it("a shrunk result is cleared by layer 2 with the same file, and counts there with what was left of it", async () => {
  const { session, world } = await open({ microCompact: { floor: 0, keepRecent: 0 } });
  session.answer([bash(`${json}\n${files.join("\n")}`)]);
  const shown = await lastShown(world, session.messages);
  session.answer([]);
  world.clock.advance(HOUR);
  session.user("go on");
  const marker = await lastShown(world, session.messages);
  expect(marker).toContain("[Strata] Cleared: ");
  expect(wholeOf(world, marker)).toBe(wholeOf(world, shown));
  const [cleared] = world.ledger("ses_1", "cleared");
  expect(cleared?.tokensFreed).toBeLessThan(shown.length / 3);
});

it("a shrunk result is listed as such, can be pinned as it is shown, and comes back whole", async () => {
  const { session, world } = await open(QUIET);
  session.answer([bash(json)]);
  await world.request(session.messages);
  session.answer([]);
  const item = await findItem(world, ({ kind }) => kind === "result");
  expect(item).toMatchObject({ state: "shrunk", file: expect.stringContaining("tool-results") });
  expect(item.wholeTokens).toBeGreaterThan(3 * item.tokens);
  await ask(world, "pin", item.id);
  session.user("what was it?");
  expect(textsOf(await world.request(session.messages))).not.toContain(json);
  const pinned = world.decisions().find(({ outcome }) => outcome === "pinned");
  expect(world.files.text(pinned?.file ?? "")).toMatch(/^\[Strata\] Shrunk: /);
  await ask(world, "expand", item.id);
  session.answer([]);
  session.user("show it whole");
  expect(textsOf(await world.request(session.messages))).toContain(json);
});

it("a shrunk result is not gone: a command that is run again is no look-up that Strata has caused", async () => {
  const { session, world } = await open();
  const later = session.answer([bash(json)]);
  await world.request(session.messages);
  session.answer([]);
  const history = readHistory(session.messages);
  const judged = world.decisions().find(({ outcome }) => outcome === "shrunk");
  const decided = { judged: { ...judged, key: "", outcome: "shrunk", session: "ses_1", at: 0 } } as const;
  const [result] = history.results();
  if (!result) throw new Error("no result");
  const goneAt = (outcome: "shrunk" | "replaced") =>
    createGoneAt(
      history,
      () => ({ judged: { ...decided.judged, outcome, layer: "tool-results" } }),
      later,
    )(result);
  expect([goneAt("shrunk"), goneAt("replaced")]).toEqual([undefined, 0]);
});
