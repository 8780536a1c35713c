/**
 * Real users' messages in the real OpenCode: ten sessions of as many repositories are replayed, each in a project of its
 * own, and what the next session begins with is checked, as is
 * that `strata learn` finds the same.
 *
 *     STRATA_BENCH=<folder> STRATA_BENCH_PRINT=1 npx vitest run --project host --mode long test/host/long/real-sessions-words.test.ts
 *
 * The messages are not part of this repository: they are read from `real-messages/messages.jsonl` in the folder, by default
 * `../shared/bench` beside it. With STRATA_BENCH_PRINT what stands in front of the model is printed, to be judged.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { patiently } from "../../support/patience.js";
import { repository, sources } from "../repository.js";
import { whenFits } from "../stage/files.js";
import { isolation } from "../stage/opencode.js";
import type { Session } from "../stage/session.js";
import { shareHost } from "../stage/shared-host.js";
import type { Stage } from "../stage/stage.js";
import { say } from "../stage/steps.js";
import { runStrata } from "../stage/strata.js";

interface RealSession {
  repo: string;
  texts: string[];
}

const FILE = join(
  process.env.STRATA_BENCH ?? join(sources, "../shared/bench"),
  "real-messages/messages.jsonl",
);
const isThere = existsSync(FILE);
if (!isThere)
  process.stdout.write(`skipped: no real messages at ${FILE}; name the folder with STRATA_BENCH\n`);

const SESSIONS = 10;
const FEWEST_MESSAGES = 5;
const MOST_MESSAGES = 40;
const MOST_PER_100 = 10;
/** A longer paragraph or block of code is pasted. */
const LONGEST_TYPED = 2_000;

describe.skipIf(!isThere)("ten real sessions", () => {
  const sessions = isThere ? chooseSessions(readFileSync(FILE, "utf8")) : [];
  const shared = shareHost({ plugin: repository });
  const counts = { messages: 0, memories: 0 };

  afterAll(() => {
    const { memories, messages } = counts;
    process.stdout.write(`real sessions: ${memories} memories of ${messages} messages\n`);
  });

  for (const [index, { repo, texts }] of sessions.entries())
    it(
      `session ${index + 1} leaves only what its user typed, word for word`,
      async () => {
        await using stage = await shared.openStage();
        await replay(stage, texts);
        const boot = await readBoot(stage);
        const kept = findLines(boot);
        counts.messages += texts.length;
        counts.memories += kept.length;
        if (process.env.STRATA_BENCH_PRINT)
          process.stdout.write(`\n## ${repo}, ${texts.length} messages\n${boot}\n`);
        const typed = fold(texts.map(withoutPasted).join("\n"));
        expect(kept.filter((line) => !typed.includes(fold(line)))).toEqual([]);
        expect(await learnAgain(stage)).toEqual([]);
      },
      patiently(240_000),
    );

  it(`ten sessions leave at most ${MOST_PER_100} memories per 100 messages`, () => {
    expect(sessions).toHaveLength(SESSIONS);
    expect(counts.memories).toBeLessThanOrEqual((MOST_PER_100 * counts.messages) / 100);
  });
});

/** Of each repository its longest session that is not very long; the longest ten of these. */
function chooseSessions(text: string): RealSession[] {
  const all = new Map<string, RealSession>();
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const { repo, session, text: said } = JSON.parse(line) as { repo: string; session: string; text: string };
    const key = `${repo} ${session}`;
    const known = all.get(key) ?? { repo, texts: [] };
    known.texts.push(said);
    all.set(key, known);
  }
  const fitting = [...all.values()]
    .filter(({ texts }) => texts.length >= FEWEST_MESSAGES && texts.length <= MOST_MESSAGES)
    .sort((a, b) => b.texts.length - a.texts.length);
  const repos = new Set(fitting.map(({ repo }) => repo));
  return [...repos].slice(0, SESSIONS).flatMap((repo) => fitting.find((one) => one.repo === repo) ?? []);
}

/** Says each message, and waits until the session is read to its end. */
async function replay(stage: Stage, texts: readonly string[]): Promise<void> {
  const session = await stage.newSession("replayed");
  for (const text of texts) {
    stage.model.script(say("ok"));
    await session.ask(text);
  }
  await whenRead(stage, session);
}

async function whenRead(stage: Stage, session: Session): Promise<void> {
  const asked = (await session.messages()).filter(({ info }) => info.role === "user");
  const lastMs = Math.max(...asked.map(({ info }) => info.time.created));
  const isRead = (contents: string): boolean => {
    const { isOpen, untilMs } = JSON.parse(contents);
    return isOpen !== true && untilMs >= lastMs;
  };
  const cursor = `.opencode/strata/state/extraction/${session.id}.json`;
  await whenFits(stage.project.file(cursor), isRead, "a cursor behind the last message");
}

/** What stands in front of the model when the next session begins. */
async function readBoot(stage: Stage): Promise<string> {
  stage.model.script(say("hello"));
  await (await stage.newSession("next")).ask("Good morning.");
  return stage.model.lastRequest().textOf("user");
}

/** What `strata learn` would keep of the same sessions that live extraction has not kept. */
async function learnAgain(stage: Stage): Promise<string[]> {
  const args = ["learn", "--server", stage.host.url, "--dry-run", "--json"];
  const { code, err, out } = await runStrata(stage.project, args, { env: isolation(stage.project) });
  if (code !== 0) throw new Error(`strata learn ended with ${code}: ${err}`);
  return out.split("\n").filter((line) => line !== "" && JSON.parse(line).candidate === false);
}

/** The memories' own words in a boot block. */
function findLines(boot: string): string[] {
  const lines = [...boot.matchAll(/^- \[[^\]\s]+\] (.*) \([a-z]+, [^()]*\)$/gm)];
  return lines.map(([, wording = ""]) => wording.replace(/…$/, ""));
}

function withoutPasted(text: string): string {
  const pieces = text.split(/(^```[\s\S]*?^```|\n\s*\n)/m);
  return pieces.filter((piece) => piece.length <= LONGEST_TYPED).join("");
}

/** The same words, whatever the space between them and the marks of lists and headings. */
function fold(text: string): string {
  return text
    .replace(/^[\s>*#-]+/gm, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
