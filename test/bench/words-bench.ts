/**
 * What auto memory keeps of real users' messages without a model, against labels: how much of it is worth keeping, and
 * how much of what is worth keeping it finds. Each message is measured with weights learned from the other folds'
 * repositories; what was learned from all of them, and is shipped, is timed.
 *
 *     npm run bench:words -- --messages FILE --labels FILE [--against FOLDER] [--only REPO,REPO] [--errors]
 *
 * The files are as `npm run learn:signals` takes them. `--against` is a checkout with its own rules, measured beside.
 * `--only` measures these repositories with weights learned from all others.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { lookForSignals } from "../../layers/5-auto-memory/signals/find-signals.js";
import { crossValidate, type Found, findIn } from "../../scripts/signals/cross-validate.js";
import { readAllInvented, readExamples } from "../../scripts/signals/examples.js";
import type { Kept } from "../../scripts/signals/judge.js";
import { type LabelledMessage, readLabelled, readLines } from "../../scripts/signals/labelled.js";
import { learn } from "../../scripts/signals/learn.js";
import {
  figures,
  interval,
  type Measured,
  measure,
  type Outcome,
  outcomeOf,
} from "../../scripts/signals/measure.js";
import { removeSecrets } from "../../src/secrets/secrets.js";
import { atOnce, type Sliced } from "../../src/slices.js";

const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({
  options: {
    messages: { type: "string" },
    labels: { type: "string" },
    against: { type: "string" },
    only: { type: "string" },
    errors: { type: "boolean", default: false },
  },
});
const { labels, messages } = values;
if (!messages || !labels || !existsSync(messages) || !existsSync(labels)) {
  console.log("skipped: no labelled messages; expected --messages FILE and --labels FILE");
  process.exit(0);
}

const labelled = readLabelled(messages, labels);
const real = readExamples(labelled);
const invented = readAllInvented(root);
const only = values.only === undefined ? undefined : new Set(values.only.split(","));
const measured = only ? real.filter(({ message }) => only.has(message.repo)) : real;
if (values.against !== undefined) printTable(`before (${values.against})`, await findBefore(values.against));
const found = only ? findLeft(only) : crossValidate(real, invented);
const how = only ? "learned from the others" : "cross-validated by repository";
const outcomes = found.map(({ kept }) => kept);
printTable(`kept, ${how}`, outcomes);
printTable(
  `waiting as candidates, ${how}`,
  found.map(({ waiting }) => waiting),
);
if (values.errors) printErrors(outcomes);
printTimes(readLines<{ text: string }>(messages).map(({ text }) => text));

function findLeft(left: ReadonlySet<string>): Found[] {
  const learned = learn([...real.filter(({ message }) => !left.has(message.repo)), ...invented]);
  return measured.map((one) => findIn(one, learned));
}

/** Earlier states returned a list of signals, without candidates. */
async function findBefore(folder: string): Promise<Outcome[]> {
  const module = (await import(join(folder, "layers/5-auto-memory/signals/find-signals.ts"))) as {
    lookForSignals(text: string): Sliced<readonly Kept[] | { signals: readonly Kept[] }>;
  };
  return measured.map(({ message }) => {
    const found = atOnce(module.lookForSignals(message.text));
    return outcomeOf(message, "signals" in found ? found.signals : found);
  });
}

function printTable(title: string, all: readonly Outcome[]): void {
  const of = (name: string, test: (message: LabelledMessage) => boolean) =>
    [name, all.filter(({ message }) => test(message))] as const;
  const rows = [
    of("all", () => true),
    of("typed or mixed", ({ whose }) => whose !== "pasted"),
    of("pasted", ({ whose }) => whose === "pasted"),
    ...["en", "zh", "ja", "it", "es", "ru", "pt", "und"].map((lang) =>
      of(lang, (message) => message.lang === lang),
    ),
    of("en, typed or mixed", ({ lang, whose }) => lang === "en" && whose !== "pasted"),
    of("not en, typed or mixed", ({ lang, whose }) => lang !== "en" && whose !== "pasted"),
  ];
  console.log(
    `\n${title}\nwhat                     messages  kept  /100  precision         rules   strong           weak    type`,
  );
  for (const [name, some] of rows) console.log(formatRow(name, some));
  console.log(formatTypes(all));
}

function formatRow(name: string, all: readonly Outcome[]): string {
  const m = measure(all);
  const ranged = (of: number, figure: (measured: Measured) => number, whole: string): string => {
    if (of === 0) return whole;
    const [low, high] = interval(all, figure);
    return `${whole} ${figure(m).toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`;
  };
  return [
    name.padEnd(24),
    String(m.messages).padStart(8),
    String(m.kept).padStart(5),
    figures.per100(m).toFixed(1).padStart(5),
    "",
    ranged(m.kept, figures.precision, `${m.good}/${m.kept}`).padEnd(23),
    `${m.goodRules}/${m.rules}`.padEnd(7),
    ranged(m.strong, figures.recall, `${m.strongFound}/${m.strong}`).padEnd(24),
    `${m.weakFound}/${m.weak}`.padEnd(7),
    `${m.typed}/${m.good}`,
  ].join(" ");
}

function formatTypes(all: readonly Outcome[]): string {
  const expected = all.flatMap(({ message }) => message.expected);
  const types = [...new Set(expected.map(({ type }) => type))].sort();
  const missed = new Set(all.flatMap(({ missed }) => missed));
  return types
    .map((type) => {
      const strong = expected.filter((one) => one.type === type && one.strength === "strong");
      const kept = all.flatMap(({ hits }) => hits).filter((hit) => hit.kept.type === type);
      const good = kept.filter(({ of }) => of.length > 0).length;
      const found = strong.filter((one) => !missed.has(one)).length;
      return `  ${type}: kept ${good}/${kept.length} worth it, strong found ${found}/${strong.length}`;
    })
    .join("\n");
}

/** To the screen only: they are other people's words. */
function printErrors(all: readonly Outcome[]): void {
  console.log("\nkept and not worth it");
  for (const { hits, message } of all)
    for (const { kept, of } of hits)
      if (of.length === 0)
        console.log(`  ${message.n} ${message.whose} ${kept.type}: ${kept.text.slice(0, 160)}`);
}

function printTimes(texts: readonly string[]): void {
  const times = texts.map((text) => {
    const begunMs = performance.now();
    atOnce(removeSecrets(text));
    const readMs = performance.now();
    atOnce(lookForSignals(text));
    return { secrets: readMs - begunMs, signals: performance.now() - readMs };
  });
  for (const what of ["secrets", "signals"] as const) {
    const sorted = times.map((time) => time[what]).sort((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
    console.log(`${what}, ms a message: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`);
  }
}
