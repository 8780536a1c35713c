/**
 * `npm run bench:words -- FILE… [--prompts DIR] [--answers DIR] [--record NAME] [--recorded NAME]`: how much of what people say is kept.
 *
 * FILE holds labelled messages of real users (test/bench/words/labelled.ts), which are not in this repository. Without
 * options it prints what becomes a candidate, and what is kept without a judge. `--prompts` writes the prompts that a
 * judge would be given, `001.md` and so on; whoever reads only these answers each into `001.json`, and `--answers` scores
 * them. `--record NAME` keeps the scored answers, without a word of the messages, in test/bench/words/recorded/NAME.json,
 * and `--recorded NAME` scores those again: by the hashes of the messages, for whoever has the files.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { prove } from "../../layers/5-auto-memory/judge/prove.js";
import {
  type Batch,
  formatBatch,
  parseAnswer,
  planBatches,
  type Verdict,
} from "../../layers/5-auto-memory/judge/verdicts.js";
import { findMark } from "../../layers/5-auto-memory/words/marked.js";
import { readStatements, type Statement } from "../../layers/5-auto-memory/words/statements.js";
import { LEAST_WORTH, weighShape } from "../../layers/5-auto-memory/words/worth.js";
import { hashOf } from "../../src/base/hash.js";
import type { SaidStatement } from "../../src/memory/candidates/candidate.js";
import { type LabelledMessage, readLabelled } from "./words/labelled.js";
import { type Kept, match } from "./words/match.js";
import { figures, interval, type Measured, measure, type Outcome } from "./words/measure.js";

const root = join(fileURLToPath(import.meta.url), "..", "..", "..");
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    prompts: { type: "string" },
    answers: { type: "string" },
    record: { type: "string" },
    recorded: { type: "string" },
    errors: { type: "boolean", default: false },
  },
});

interface Read {
  message: LabelledMessage;
  statements: readonly Statement[];
  worth: number;
}

const all = readLabelled(positionals).map((message): Read => {
  const statements = readStatements({ id: "", text: message.text });
  const worth = weighShape({ statements, characters: message.text.length });
  return { message, statements, worth };
});
const candidates = all.filter(({ worth }) => worth >= LEAST_WORTH);
const repos = [...new Set(candidates.map(({ message }) => message.repo))];
/** A repository's messages in their order, as they would wait. */
const batches = repos.flatMap((repo) =>
  planBatches(candidates.filter(({ message }) => message.repo === repo)),
);

printCandidates();
printTable("kept without a judge", (one) =>
  one.statements.flatMap((statement) => {
    const type = findMark(statement, one.statements);
    return type === undefined ? [] : [{ type, text: statement.text }];
  }),
);
if (values.prompts !== undefined) writePrompts(values.prompts);
const answers = values.answers === undefined ? undefined : readAnswers(values.answers);
if (answers && values.record !== undefined) record(values.record, answers);
const judged = answers ?? (values.recorded === undefined ? undefined : readRecorded(values.recorded));
if (judged) printTable("kept by the judge", (one) => judged.get(nameOf(one)) ?? []);

function toBatch(some: readonly Read[]): Batch {
  return {
    messages: some.map((one) => ({ statements: toSaid(one) })),
    work: [],
    memories: [],
  };
}

function toSaid({ statements }: Read): readonly SaidStatement[] {
  return statements.map(({ heading, isQuestion, text }) => ({
    text,
    heading,
    ...(isQuestion && { isQuestion }),
  }));
}

function writePrompts(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const task = readFileSync(join(root, "prompts/memory-judge.md"), "utf8").trim();
  let characters = 0;
  for (const [index, some] of batches.entries()) {
    const material = formatBatch(toBatch(some));
    characters += task.length + material.length;
    writeFileSync(join(folder, `${nameBatch(index)}.md`), `${task}\n\n${material}\n`);
  }
  console.log(
    `\n${batches.length} prompts, about ${Math.round(((characters / 4) * 10) / all.length)} tokens per 10 messages`,
  );
}

function nameBatch(index: number): string {
  return String(index + 1).padStart(3, "0");
}

function nameOf({ message }: Read): string {
  return hashOf(message.text).slice(0, 16);
}

/** What is kept of each message, by its hash. */
type KeptOf = ReadonlyMap<string, readonly Kept[]>;

function readAnswers(folder: string): KeptOf {
  const kept = new Map<string, Kept[]>();
  for (const [index, some] of batches.entries()) {
    const batch = toBatch(some);
    const answer = parseAnswer(readFileSync(join(folder, `${nameBatch(index)}.json`), "utf8"), batch);
    if (!answer) console.log(`${nameBatch(index)}: not an answer to the task`);
    for (const fault of answer?.faults ?? []) console.log(`${nameBatch(index)}: ${fault}`);
    for (const verdict of answer?.verdicts ?? []) {
      const one = verdict.of.kind === "message" && verdict.isSure ? some[verdict.of.at] : undefined;
      const proved = one && proveOf(one, verdict);
      if (!one || proved === undefined) continue;
      if (typeof proved !== "string" && !proved.isProved) continue;
      if (typeof proved === "string") console.log(`${nameBatch(index)}: not kept, ${proved}`);
      else
        kept.set(nameOf(one), [
          ...(kept.get(nameOf(one)) ?? []),
          { type: proved.type, text: quoteOf(one, verdict), says: proved.content },
        ]);
    }
  }
  return kept;
}

/** Line by line, as the quote stands in the message. */
function quoteOf(one: Read, { of }: Verdict): string {
  const quote = of.kind === "message" ? toSaid(one).slice(of.from, of.to + 1) : [];
  return quote
    .flatMap(({ heading, text }, at) =>
      heading === undefined || heading === quote[at - 1]?.heading ? [text] : [heading, text],
    )
    .join("\n");
}

function proveOf(one: Read, verdict: Verdict) {
  const { of } = verdict;
  if (of.kind !== "message") return undefined;
  return prove(verdict, { quote: toSaid(one).slice(of.from, of.to + 1), around: one.message.text });
}

/** What a judge is shown of a message: its sentences and their headings. */
function linesOf({ statements }: Read): string[] {
  return statements.flatMap(({ heading, text }) => (heading === undefined ? [text] : [heading, text]));
}

function recordPath(name: string): string {
  return join(root, `test/bench/words/recorded/${name}.json`);
}

/** Hashes of the quoted sentences instead of their words. */
interface RecordedKept {
  type: string;
  sentences: string[];
}

function hashLine(line: string): string {
  return hashOf(line).slice(0, 12);
}

function record(name: string, kept: KeptOf): void {
  const entries = [...kept].map(([message, all]): [string, RecordedKept[]] => [
    message,
    all.map(({ text, type }) => ({ type, sentences: text.split("\n").map(hashLine) })),
  ]);
  mkdirSync(join(recordPath(name), ".."), { recursive: true });
  writeFileSync(recordPath(name), `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`);
}

function readRecorded(name: string): KeptOf {
  const recorded = JSON.parse(readFileSync(recordPath(name), "utf8")) as Record<string, RecordedKept[]>;
  return new Map(
    all.map((one) => {
      const words = new Map(linesOf(one).map((line) => [hashLine(line), line]));
      const entries = (recorded[nameOf(one)] ?? []).map(({ sentences, type }) => ({
        type,
        text: sentences.flatMap((hash) => words.get(hash) ?? []).join("\n"),
      }));
      return [nameOf(one), entries];
    }),
  );
}

function printCandidates(): void {
  const count = (some: readonly Read[], of: (one: Read) => number): number =>
    some.reduce((sum, one) => sum + of(one), 0);
  const strong = ({ message }: Read): number =>
    message.expected.filter(({ strength }) => strength === "strong").length;
  const inside = (one: Read): number => {
    if (one.worth < LEAST_WORTH) return 0;
    const { missed } = match(
      one.message,
      linesOf(one).map((text) => ({ type: "", text })),
    );
    return strong(one) - missed.filter(({ strength }) => strength === "strong").length;
  };
  console.log("candidates            messages  /100  strong items in them");
  for (const [name, some] of groups())
    console.log(
      `${name.padEnd(22)}${String(some.length).padStart(8)}  ${((100 * some.filter((one) => one.worth >= LEAST_WORTH).length) / some.length).toFixed(0).padStart(4)}  ${count(some, inside)}/${count(some, strong)} ${(count(some, inside) / count(some, strong)).toFixed(2)}`,
    );
}

function groups(): (readonly [string, readonly Read[]])[] {
  const langs = [...new Set(all.map(({ message }) => message.lang))];
  const rows: [string, readonly Read[]][] = [
    ["all", all],
    ["English", all.filter(({ message }) => message.lang === "en")],
    ["other languages", all.filter(({ message }) => message.lang !== "en")],
    ...langs.map((lang): [string, Read[]] => [lang, all.filter(({ message }) => message.lang === lang)]),
  ];
  return rows.filter(([, some]) => some.length > 0);
}

function printTable(title: string, keptOf: (one: Read) => readonly Kept[]): void {
  const outcomes = new Map(all.map((one) => [one, outcomeOf(one.message, keptOf(one))]));
  console.log(
    `\n${title}\nwhat                    messages  kept  /100  precision              strong items`,
  );
  for (const [name, some] of groups())
    console.log(
      formatRow(
        name,
        some.map((one) => outcomes.get(one) as Outcome),
      ),
    );
  if (!values.errors) return;
  // To the screen only: they are other people's words.
  for (const { hits, message } of outcomes.values())
    for (const { kept, of } of hits)
      if (of.length === 0)
        console.log(`  ${message.repo} ${kept.type}: ${kept.text.slice(0, 200)} → ${kept.says ?? ""}`);
  for (const { message, missed } of outcomes.values())
    for (const { says, strength, type } of missed)
      if (strength === "strong") console.log(`  missed: ${message.repo} ${type}: ${says.slice(0, 200)}`);
}

function outcomeOf(message: LabelledMessage, kept: readonly Kept[]): Outcome {
  return { message, ...match(message, kept) };
}

function formatRow(name: string, some: readonly Outcome[]): string {
  const m = measure(some);
  const ranged = (of: number, whole: string, figure: (measured: Measured) => number): string => {
    if (of === 0) return whole;
    const [low, high] = interval(some, figure);
    return `${whole} ${figure(m).toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`;
  };
  return [
    name.padEnd(24),
    String(m.messages).padStart(7),
    String(m.kept).padStart(5),
    figures.per100(m).toFixed(1).padStart(5),
    "",
    ranged(m.kept, `${m.good}/${m.kept}`, figures.precision).padEnd(22),
    ranged(m.strong, `${m.strongFound}/${m.strong}`, figures.recall),
  ].join(" ");
}
