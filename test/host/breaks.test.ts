/** Whatever the host changes in what was sent stands in the savings ledger before the request leaves. */
import { expect, test } from "vitest";
import type { SavingsRecord } from "../../src/costs/savings.js";
import { only1 } from "./only-1.js";
import { type ExplainedBreak, explainBreaks, readRecords } from "./stage/break-reasons.js";
import { startOpenCode } from "./stage/opencode.js";
import { findBreaks } from "./stage/prefix-breaks.js";
import type { Session } from "./stage/session.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";

const RULE = "Never push to main without asking.";
const FILES = {
  ".opencode/memory/directive/r.md": `${RULE}\n`,
  ".opencode/memory/knowledge/k.md": "The importer streams files of 2 GB.\n",
};
/** Four characters count as a token here, four bytes of JSON in the model. */
const TOLERANCE = 0.25;

const SETTINGS = { mcp: true, config: { snapshot: true } };
const blob = (bytes: number) => call("mcp_blob", { bytes });

/** The breaks, each with its record, and no record of a break that was none. */
function findRecorded(stage: Stage): ExplainedBreak[] {
  const records = readRecords(stage.project.file(".opencode/strata"));
  const breaks = explainBreaks(findBreaks(stage.model.requests), records);
  for (const { reason, request } of breaks) expect(reason, `request ${request}`).toBeDefined();
  expect(records.filter(isHostsChange).length).toBeLessThanOrEqual(breaks.length);
  return breaks;
}

const isHostsChange = ({ event, reason = "" }: SavingsRecord): boolean =>
  event === "break" && reason.startsWith("the host has") && reason.includes("sent anew");

const changesIn = (stage: Stage): SavingsRecord[] =>
  readRecords(stage.project.file(".opencode/strata")).filter(isHostsChange);

const isRuleShown = (stage: Stage): boolean => JSON.stringify(stage.model.lastRequest().body).includes(RULE);

async function usersMessages(session: Session) {
  return (await session.messages()).filter(({ info }) => info.role === "user");
}

test("a turn that is taken back is one recorded break, and what follows in its place none", async () => {
  await using stage = await openStage({ ...SETTINGS, files: FILES });
  stage.model.script(
    blob(80_000),
    say("one"),
    blob(60_000),
    say("two"),
    say("three"),
    say("four"),
    say("five"),
  );
  const session = await stage.newSession("revert");
  for (const text of ["First, the importer.", "Second.", "Third."]) await session.ask(text);
  const third = (await usersMessages(session))[2];
  await session.revert(third?.info.id);
  await session.ask("Third, in another way.");
  await session.ask("More.");
  expect(findRecorded(stage)).toHaveLength(1);
  expect(changesIn(stage).map(({ reason }) => reason)).toEqual([
    expect.stringContaining("the host has removed message 7 of 7 (user)"),
  ]);
});

only1("its plan agent leaves no reminders in the history")(
  "the plan agent's reminders, which go with the next turn, are recorded breaks, and so is the way back",
  async () => {
    await using stage = await openStage({ ...SETTINGS, files: FILES });
    stage.model.respond(() => say("ok"));
    const session = await stage.newSession("plan");
    const agents = ["build", "plan", "plan", "plan", "build", "build"];
    for (const [turn, agent] of agents.entries()) await session.ask(`turn ${turn}`, { agent });
    expect(findRecorded(stage)).toHaveLength(4);
    expect(changesIn(stage)).toHaveLength(4);
  },
);

test("two hosts that take turns in one session break nothing, and nothing is recorded", async () => {
  await using stage = await openStage({ ...SETTINGS, files: FILES });
  const other = await startOpenCode({ project: stage.project });
  try {
    stage.model.script(
      blob(80_000),
      say("one"),
      blob(60_000),
      say("two"),
      blob(70_000),
      say("three"),
      say("four"),
    );
    const session = await stage.newSession("two hosts");
    await session.ask("First, the importer.");
    await other.session(session.id).ask("Second, what about main?");
    await session.ask("Third.");
    await other.session(session.id).ask("Fourth: push to main.");
    expect(findRecorded(stage)).toEqual([]);
  } finally {
    await other.stop();
  }
});

only1("it has no way to edit a message")(
  "a message that is edited and one that is deleted are recorded, each as one break",
  async () => {
    await using stage = await openStage({ ...SETTINGS, files: FILES });
    stage.model.script(blob(80_000), say("one"), blob(60_000), say("two"), say("three"), say("four"));
    const session = await stage.newSession("edit");
    await session.ask("First, the importer.");
    await session.ask("Second.");
    const [first, second] = await usersMessages(session);
    const part = second?.parts.find(({ type }) => type === "text");
    const path = `/session/${session.id}/message`;
    await stage.host.api("PATCH", `${path}/${second?.info.id}/part/${part?.id}`, {
      ...part,
      text: "Sekond.",
    });
    await session.ask("Third.");
    await stage.host.api("DELETE", `${path}/${first?.info.id}`);
    await session.ask("Fourth.");
    expect(findRecorded(stage)).toHaveLength(2);
    expect(changesIn(stage).map(({ reason }) => reason)).toEqual([
      expect.stringContaining("the host has changed message 4 of 5 (user)"),
      expect.stringContaining("the host has removed message 1 of 7 (user)"),
    ]);
    expect(isRuleShown(stage)).toBe(true);
  },
);

only1("it prunes nothing")(
  "results that the host prunes are recorded, with the tokens that this costs",
  async () => {
    await using stage = await openStage({
      ...SETTINGS,
      files: FILES,
      // Beyond where the host begins to prune.
      options: { autoCompact: { threshold: 140_000 } },
      config: { compaction: { prune: true } },
    });
    const results = Array.from({ length: 14 }, () => blob(29_000));
    stage.model.script(...results, ...["one", "two", "three", "four"].map((text) => say(text)));
    const session = await stage.newSession("prune");
    for (const text of ["First, the importer.", "Second.", "Third.", "Fourth."]) await session.ask(text);
    const [one, ...rest] = findRecorded(stage);
    expect(rest).toEqual([]);
    const [{ cacheLost = 0, reason } = {} as SavingsRecord] = changesIn(stage);
    expect(reason).toContain("the host has changed message 2 of");
    const counted = one?.tokensLost ?? 0;
    expect(Math.abs(cacheLost - counted) / counted).toBeLessThan(TOLERANCE);
  },
);

test("a compaction that is taken back is a recorded break, and rules are still shown", async () => {
  await using stage = await openStage({ ...SETTINGS, files: FILES });
  let answers = 0;
  stage.model.respond(() => say(`answer ${answers++} `.repeat(40)));
  const session = await stage.newSession("summary");
  for (const text of ["First, the importer.", "Second.", "Third."]) await session.ask(text);
  await session.summarize();
  await session.ask("After the summary.");
  const third = (await usersMessages(session))[2];
  await session.revert(third?.info.id);
  await session.ask("Third again.");
  await session.ask("Fourth again.");
  expect(findRecorded(stage)).toHaveLength(2);
  expect(changesIn(stage)).toHaveLength(1);
  expect(isRuleShown(stage)).toBe(true);
});
