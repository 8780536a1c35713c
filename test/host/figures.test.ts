/** What `/memory` and `strata stats` tell, held against what the model itself counted, with the plugin and without. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./repository.js";
import { type ModelRequest, tokensOfBytes } from "./stage/model-request.js";
import type { Session } from "./stage/session.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";

interface Figures {
  sessions: { requests: { sent: number; keptOut: number }[]; totals: { sent: number; cached: number } }[];
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

async function readMemoryCommand(session: Session): Promise<{ total: number; fixed: number }> {
  await expect(session.command("memory")).rejects.toThrow("answered 500");
  const shown = (await session.messages()).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : [])),
  );
  const read = (pattern: RegExp): number =>
    Number((pattern.exec(shown.at(-1) ?? "")?.[1] ?? "").replaceAll(",", ""));
  return { total: read(/context of ([\d,]+) tokens/), fixed: read(/([\d,]+) for system prompt and tools/) };
}

function readStats(stage: Stage): Figures {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(repository, "dist/strata.js"), "stats", "--json"],
    {
      cwd: stage.project.path,
      env: { ...process.env, XDG_CONFIG_HOME: stage.project.folders.config },
      encoding: "utf8",
    },
  );
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as Figures;
}

test("/memory and stats match the model's count within 2 %, also after a cut, and the curve without Strata never falls", async () => {
  await using bare = await openStage({ files });
  await work(bare, await bare.newSession("bare"));
  await using stage = await openStage({ files, plugin: repository });
  const session = await stage.newSession("figures");
  await work(stage, session);
  const told = await readMemoryCommand(session);
  const last = stage.model.lastRequest();
  expectNear(told.fixed, countFixed(last), "system prompt and tools");
  expectNear(told.total, last.promptTokens + last.outputTokens, "the context");
  await expect(session.command("compact-notes")).rejects.toThrow("answered 500");
  for (const turn of ["and now?", "and then?"]) {
    await session.ask(turn);
    expect(stage.model.lastRequest().promptTokens).toBeLessThan(last.promptTokens / 1.5);
  }
  const cut = await readMemoryCommand(session);
  expectNear(cut.fixed, countFixed(stage.model.lastRequest()), "system prompt and tools behind a cut");
  const [figures] = readStats(stage).sessions;
  const { requests } = stage.model;
  expect(figures?.requests.map(({ sent }) => sent)).toEqual(requests.map(({ promptTokens }) => promptTokens));
  expect(figures?.totals.cached).toBe(requests.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0));
  const without = (figures?.requests ?? []).map(({ keptOut, sent }) => sent + keptOut);
  for (const [index, { promptTokens }] of bare.model.requests.entries())
    expectNear(without[index] ?? 0, promptTokens, `request ${index + 1} without Strata`);
  expect(without).toEqual([...without].sort((a, b) => a - b));
});
