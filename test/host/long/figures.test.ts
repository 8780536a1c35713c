/**
 * What `/memory`, the screen's file, `strata status`, and `strata stats` tell, held against what the model itself
 * counted, with the plugin and without.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PRICE } from "../../../src/costs/savings.js";
import { KINDS, parseSessionScreen, type SessionScreen } from "../../../src/status/session-screen.js";
import { patiently } from "../../support/patience.js";
import { type ModelRequest, tokensOfBytes } from "../stage/model-request.js";
import type { Session } from "../stage/session.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, say } from "../stage/steps.js";
import { strata } from "../stage/strata.js";

interface Figures {
  sessions: {
    title?: string;
    requests: { sent: number; keptOut: number }[];
    saved: SessionScreen["saved"]["session"];
    totals: { sent: number; cached: number };
  }[];
}

interface Status {
  sessions: Record<string, { title?: string; contextTokens: number; contextWithout: number }>;
  saved: { today: SessionScreen["saved"]["today"] };
}

const WITHIN = 0.02;

/** Figures, hex and JSON: nothing that has four characters a token in the mean. */
const dense = (name: string, kilobytes: number): string =>
  Array.from(
    { length: kilobytes * 20 },
    (_, n) => `{"${name}":"${(n * 2_654_435_761).toString(16).padStart(12, "0")}","n":${n * 7_919}}`,
  ).join("\n");

const files = Object.fromEntries(["orders", "carts"].map((name) => [`data/${name}.jsonl`, dense(name, 24)]));

async function work(stage: Stage, session: Session): Promise<void> {
  await session.ask("hello");
  for (const name of ["users", "prices", "taxes", "stock"]) await session.ask(`Look: ${dense(name, 24)}`);
  for (const name of ["orders", "carts"]) {
    stage.model.script(
      call("read", { filePath: stage.project.file(`data/${name}.jsonl`) }),
      say(`The ${name} are there: ${"all is in order. ".repeat(40)}`),
    );
    await session.ask(`What about the ${name}?`);
  }
}

/** Two ways to the same thing, as `/memory` and the model tell it. */
const expectNear = (told: number, counted: number, what: string): void =>
  expect(Math.abs(told - counted) / counted, `${what}: told ${told}, counted ${counted}`).toBeLessThan(
    WITHIN,
  );

const countFixed = ({ messages, tools }: ModelRequest): number =>
  tokensOfBytes(
    Buffer.byteLength(
      [tools, ...messages.filter(({ role }) => role === "system")]
        .map((one) => JSON.stringify(one))
        .join("\n"),
    ),
  );

/** "13.3K" as a number. */
const readTokens = (text: string | undefined): number =>
  Number.parseFloat(text ?? "") * (text?.endsWith("K") ? 1_000 : 1);

async function readMemoryCommand(
  session: Session,
): Promise<{ total: number; fixed: number; without: number; page: string }> {
  const page = await session.slash("memory");
  const read = (pattern: RegExp): number => readTokens(pattern.exec(page)?.[1]);
  return {
    page,
    total: read(/^context ([\d.]+K?)/m),
    without: read(/^context [\d.]+K? instead of ([\d.]+K?)/m),
    fixed: read(/([\d.]+K?) system and tools/),
  };
}

/** Waits until the screen's file, written behind the answer, has this many tokens. */
async function readScreen(stage: Stage, session: Session, tokens: number): Promise<SessionScreen> {
  const path = stage.project.file(`.opencode/strata/state/screen/${session.id}.json`);
  const read = (): SessionScreen | undefined => parseSessionScreen(JSON.parse(readFileSync(path, "utf8")));
  await expect.poll(() => read()?.context.now, { timeout: patiently(15_000), interval: 100 }).toBe(tokens);
  const screen = read();
  if (!screen) throw new Error(`${path} cannot be read`);
  return screen;
}

/** What these requests cost by the model's own counts. */
const priceAll = (requests: readonly ModelRequest[]): number =>
  requests.reduce(
    (sum, { cachedTokens: cached, outputTokens, promptTokens: sent }) =>
      sum + (sent - cached) * PRICE.written + cached * PRICE.cached + outputTokens * PRICE.answered,
    0,
  );

const LATER = ["and now?", "and then?"];

test("every figure matches the model's count within 2 %, also after a cut, and the curve without Strata never falls", async () => {
  await using bare = await openStage({ plugin: [], files });
  const bareSession = await bare.newSession("bare");
  await work(bare, bareSession);
  for (const turn of LATER) await bareSession.ask(turn);
  await using stage = await openStage({ files });
  const session = await stage.newSession("figures");
  await work(stage, session);
  const told = await readMemoryCommand(session);
  const last = stage.model.lastRequest();
  expectNear(told.fixed, countFixed(last), "system prompt and tools");
  expectNear(told.total, last.promptTokens + last.outputTokens, "the context");
  await session.slash("compact-notes");
  for (const turn of LATER) {
    await session.ask(turn);
    expect(stage.model.lastRequest().promptTokens).toBeLessThan(last.promptTokens / 1.5);
  }
  const cut = await readMemoryCommand(session);
  const [now, was] = [stage.model.lastRequest(), bare.model.lastRequest()];
  const [nowTokens, wasTokens] = [now, was].map((one) => one.promptTokens + one.outputTokens) as [
    number,
    number,
  ];
  expectNear(cut.fixed, countFixed(now), "system prompt and tools behind a cut");
  expectNear(cut.total, nowTokens, "the context behind a cut");
  expectNear(cut.without, wasTokens, "the context without Strata");

  const screen = await readScreen(stage, session, nowTokens);
  expectNear(screen.context.without, wasTokens, "the screen's context without Strata");
  expectNear(screen.context.kinds.system, countFixed(now), "the screen's system prompt and tools");
  expect(KINDS.reduce((sum, kind) => sum + screen.context.kinds[kind], 0)).toBe(nowTokens);
  expect(screen.cache.last).toBeCloseTo(now.cachedTokens / now.promptTokens, 5);
  expect(screen.context.kinds.notes).toBeGreaterThan(0);
  const share = 1 - priceAll(stage.model.requests) / priceAll(bare.model.requests);
  expect(Math.abs((screen.saved.session.share ?? Number.NaN) - share)).toBeLessThan(WITHIN);
  expect(screen.saved.today).toEqual(screen.saved.session);

  const status = JSON.parse(strata(stage.project, "status", "--json").stdout) as Status;
  const ofSession = status.sessions[session.id];
  expect(ofSession?.contextTokens).toBe(nowTokens);
  expect(ofSession?.contextWithout).toBe(screen.context.without);
  expect(status.saved.today).toEqual(screen.saved.today);
  const [headline = ""] = cut.page.match(/^context .* instead of .*?\)/m) ?? [];
  expect(strata(stage.project, "status").stdout.replace(/\s+/g, " ")).toContain(headline);

  const [figures] = (JSON.parse(strata(stage.project, "stats", "--json").stdout) as Figures).sessions;
  const { requests } = stage.model;
  const counted = requests.map(({ promptTokens }) => promptTokens);
  const cached = requests.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0);
  expect(figures?.requests.map(({ sent }) => sent)).toEqual(counted);
  expect(figures?.totals.cached).toBe(cached);
  expect(figures?.saved).toEqual(screen.saved.session);
  expect([screen.title, figures?.title, ofSession?.title]).toEqual(["figures", "figures", "figures"]);
  const without = (figures?.requests ?? []).map(({ keptOut, sent }) => sent + keptOut);
  for (const [index, { promptTokens }] of bare.model.requests.entries())
    expectNear(without[index] ?? 0, promptTokens, `request ${index + 1} without Strata`);
  expect(without).toEqual([...without].sort((a, b) => a - b));
});
