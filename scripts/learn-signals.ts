/**
 * Learns from labelled messages of real users which signs tell that a sentence is worth keeping, and writes the weights
 * to `vectors/signals.json`, with where they come from. The messages stay where they are.
 *
 *     npm run learn:signals -- --messages FILE --labels FILE [--leave REPO,REPO] [--to FILE]
 *
 * `--messages` has a JSON object a line with `repo` and `text`; `--labels` one with `n` (the message's line, from 0),
 * `repo`, `lang`, `whose` (typed, mixed, pasted) and `expected`: what is worth keeping, each with `says` (letter by
 * letter), `type` and `strength` (strong, weak). Repositories in `--leave` are not learned from.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { crossValidate } from "./signals/cross-validate.js";
import { INVENTED_FOLDER, readAllInvented, readExamples } from "./signals/examples.js";
import { readLabelled } from "./signals/labelled.js";
import { LEAST_REPOSITORIES, learn } from "./signals/learn.js";
import { figures, interval, measure, type Outcome } from "./signals/measure.js";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    messages: { type: "string" },
    labels: { type: "string" },
    leave: { type: "string", default: "" },
    to: { type: "string", default: join(root, "vectors/signals.json") },
  },
});
if (values.messages === undefined || values.labels === undefined)
  throw new Error("expected --messages FILE and --labels FILE");

const left = new Set(values.leave.split(",").filter((repo) => repo !== ""));
const labelled = readLabelled(values.messages, values.labels).filter(({ repo }) => !left.has(repo));
const real = readExamples(labelled);
const invented = readAllInvented(root);
const learned = learn([...real, ...invented]);
const outcomes = crossValidate(real, invented).map(({ kept }) => kept);
const from = {
  made: new Date().toISOString().slice(0, 10),
  by: "npm run learn:signals",
  messages: labelled.length,
  repositories: new Set(labelled.map(({ repo }) => repo)).size,
  sentences: real.reduce((sum, { sentences }) => sum + sentences.length, 0),
  worthKeeping: labelled.reduce((sum, { expected }) => sum + expected.length, 0),
  invented: { folder: INVENTED_FOLDER, messages: invented.length },
  signsSeenInRepositories: LEAST_REPOSITORIES,
  crossValidatedByRepository: summarise(outcomes),
};
writeFileSync(values.to, `${JSON.stringify({ from, ...learned }, undefined, 1)}\n`);
console.log(JSON.stringify(from, undefined, 2));

function summarise(all: readonly Outcome[]) {
  const measured = measure(all);
  const rounded = (value: number) => Math.round(value * 1_000) / 1_000;
  const figure = (name: keyof typeof figures) => ({
    is: rounded(figures[name](measured)),
    from95: interval(all, figures[name]).map(rounded),
  });
  return {
    ...measured,
    precision: figure("precision"),
    precisionOfRules: figure("rules"),
    recallOfStrong: figure("recall"),
  };
}
