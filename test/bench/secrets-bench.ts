/**
 * What the search for secrets finds, takes for one by mistake, and costs. Samples are generated, so the seed decides
 * them; `--against` names the `src` folder of an earlier state, which is measured in the same run.
 *
 *     npm run bench:secrets -- [--seed 7] [--messages FILE] [--against FOLDER/src] [--all]
 */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import * as today from "../../src/text/secrets/secrets.js";
import {
  createRandom,
  generate,
  lastSurroundings,
  otherSurroundings,
  surroundings,
} from "../support/secrets/generate.js";
import { lookAlikes } from "../support/secrets/look-alikes.js";
import {
  allFormats,
  listMissed,
  type Sample,
  writeSamples,
  writeTold,
  writeWhole,
} from "../support/secrets/samples.js";
import { tellings } from "../support/secrets/told-passwords.js";
import { wholeTexts } from "../support/secrets/whole-texts.js";

type Search = Pick<typeof today, "findSecrets" | "redactSecrets">;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "7" },
    messages: { type: "string" },
    against: { type: "string" },
    all: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const before: Search | undefined = values.against
  ? await import(pathToFileURL(resolve(values.against, "secrets/secrets.ts")).href)
  : undefined;
const EACH = 3;
const EACH_LOOK_ALIKE = 20;
const ROUNDS = 8;

const everywhere = [...surroundings, ...otherSurroundings, ...lastSurroundings];
const byProvider = new Map<string, Sample[]>();
for (const format of allFormats) {
  const [provider = ""] = format.provider.split(" ");
  const samples = writeSamples(format, everywhere, { each: EACH, seed });
  byProvider.set(provider, [...(byProvider.get(provider) ?? []), ...samples]);
}

console.log(`found of generated samples, seed ${seed}`);
printFound("providers", byProvider, !values.all);
printFound(
  "files, commands, addresses",
  mapOf(wholeTexts, (formats) => writeWhole(formats, { each: 20, seed })),
);
printFound(
  "told in a sentence",
  new Map(
    tellings.map((telling) => [
      telling.language,
      [
        ...writeTold(telling, "sentences", { each: EACH, seed }),
        ...writeTold(telling, "others", { each: EACH, seed }),
      ],
    ]),
  ),
);
printFalse();
printCosts();
printLongTexts();

function mapOf<T>(
  record: Readonly<Record<string, readonly string[]>>,
  make: (list: readonly string[]) => T,
): Map<string, T> {
  return new Map(Object.entries(record).map(([name, list]) => [name, make(list)]));
}

function rateOf(search: Search | undefined, samples: readonly Sample[]): string {
  if (!search) return "".padStart(9);
  const missed = listMissed(samples, (text) => search.redactSecrets(text).text).length;
  return ((samples.length - missed) / samples.length).toFixed(4).padStart(9);
}

function printFound(title: string, groups: ReadonlyMap<string, readonly Sample[]>, isShort = false): void {
  console.log(
    `\n${title.padEnd(40)}${"samples".padStart(9)}${"found".padStart(9)}${before ? "   before" : ""}`,
  );
  const all = [...groups.values()].flat();
  let whole = 0;
  for (const [name, samples] of groups) {
    const rate = rateOf(today, samples);
    if (rate.trim() === "1.0000") whole++;
    if (!isShort || rate.trim() !== "1.0000")
      console.log(`${name.padEnd(40)}${String(samples.length).padStart(9)}${rate}${rateOf(before, samples)}`);
  }
  console.log(
    `${`all (${whole} of ${groups.size} without a miss)`.padEnd(40)}${String(all.length).padStart(9)}${rateOf(today, all)}${rateOf(before, all)}`,
  );
}

function printFalse(): void {
  console.log(
    `\n${"taken for a secret by mistake".padEnd(40)}${"texts".padStart(9)}${"taken".padStart(9)}${before ? "   before" : ""}`,
  );
  const random = createRandom(seed);
  const kinds = mapOf(lookAlikes, (formats) =>
    formats.flatMap((format) => Array.from({ length: EACH_LOOK_ALIKE }, () => generate(format, random))),
  );
  kinds.set("lock file", [readFileSync("package-lock.json", "utf8")]);
  for (const [kind, texts] of kinds) printTaken(kind, texts);
  const messages = readMessages();
  if (messages) printTaken("messages of real users", messages);
  else console.log("skipped: messages of real users; expected --messages FILE of JSON Lines with { text }");
}

function printTaken(kind: string, texts: readonly string[]): void {
  const count = (search: Search | undefined): string =>
    search ? String(texts.filter((text) => search.findSecrets(text).length > 0).length).padStart(9) : "";
  console.log(`${kind.padEnd(40)}${String(texts.length).padStart(9)}${count(today)}${count(before)}`);
}

function readMessages(): string[] | undefined {
  const path = values.messages;
  if (!path || !existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line): string => JSON.parse(line).text);
}

function printCosts(): void {
  const texts = readMessages() ?? [...byProvider.values()].flat().map(({ text }) => text);
  const [now, then] = measure(texts);
  console.log(`\n${"ms for each text, best of rounds".padEnd(40)}${"p50".padStart(9)}${"p99".padStart(9)}`);
  for (const [name, times] of [
    ["today", now],
    ["before", then],
  ] as const)
    if (times) console.log(`${name.padEnd(40)}${at(times, 0.5)}${at(times, 0.99)}`);
  if (now && then) console.log(`${"ratio".padEnd(40)}${ratio(now, then, 0.5)}${ratio(now, then, 0.99)}`);
}

/** Alternating, so that a machine that slows down slows both. */
function measure(texts: readonly string[]): (number[] | undefined)[] {
  const searches = [today, before];
  const best = searches.map((search) => (search ? texts.map(() => Number.POSITIVE_INFINITY) : undefined));
  for (let round = 0; round < ROUNDS; round++)
    for (const [n, search] of searches.entries())
      for (const [m, text] of texts.entries()) {
        const times = best[n];
        if (!search || !times) continue;
        const begunMs = performance.now();
        search.findSecrets(text);
        times[m] = Math.min(times[m] ?? 0, performance.now() - begunMs);
      }
  return best;
}

function pick(times: readonly number[], part: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;
}

function at(times: readonly number[], part: number): string {
  return pick(times, part).toFixed(3).padStart(9);
}

function ratio(now: readonly number[], then: readonly number[], part: number): string {
  return (pick(now, part) / pick(then, part)).toFixed(2).padStart(9);
}

/** Twice the size must not take more than about twice the time. */
function printLongTexts(): void {
  const pieces = [
    ...[
      "-----BEGIN PRIVATE KEY-----",
      "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n",
      "kind: Secret\ndata:\n  a: bcde\n",
    ],
    ...[
      "sk-",
      "ghp_aB3dE5gH7jK9 ",
      "eyJaaaaaaaaaa.",
      "algolia key ",
      "aliyun_",
      "dp.pt.",
      "token ",
      "password ",
      "a",
    ],
    ...[
      "contraseña a ",
      "пароль а ",
      "パスワードは",
      "use password ",
      "log in a /",
      "&key=aaaaaaaaaaaaaaaa",
      "TOKEN_",
      "://",
    ],
  ];
  console.log(
    `\n${"ms for a line of one piece repeated".padEnd(40)}${"100 KB".padStart(9)}${"200 KB".padStart(9)}${before ? "before, 200 KB".padStart(16) : ""}`,
  );
  for (const piece of pieces) {
    const time = (search: Search, size: number): string => {
      const text = piece.repeat(Math.ceil(size / piece.length));
      const begunMs = performance.now();
      search.findSecrets(text);
      return (performance.now() - begunMs).toFixed(1);
    };
    time(today, 10_000);
    const then = before ? time(before, 200_000).padStart(16) : "";
    console.log(
      `${JSON.stringify(piece).padEnd(40)}${time(today, 100_000).padStart(9)}${time(today, 200_000).padStart(9)}${then}`,
    );
  }
}
