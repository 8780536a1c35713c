import { expect, it } from "vitest";
import { atOnce } from "../../src/base/slices.js";
import { USUAL_REACH } from "../../src/text/secrets/rules/rule.js";
import { findSecrets, searchInWindows, secretRules } from "../../src/text/secrets/secrets.js";
import { countLookedAt } from "../support/looked-at.js";
import { fc } from "../support/property.js";
import { shapes } from "../support/shapes.js";

const SHORT = 40;

const findWhole = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ at: index, found }));

function findInPieces(text: string, pattern: RegExp, reach: number, piece: number) {
  const all: { at: number; found: string }[] = [];
  const take = (match: RegExpExecArray, offset: number) =>
    void all.push({ at: offset + match.index, found: match[0] });
  atOnce(searchInWindows(text, { pattern, reach }, take, piece));
  return all;
}

/** What the patterns look for, whole and in part, long and short, put together at random. */
const parts = fc.oneof(
  fc.constantFrom(
    ...["password", "PASS_WORD", "DB_PASSWORD=", "token", "api-key", "secret: ", "is", " ", "\n", "\r\n"],
    ...[
      "  \n",
      "=",
      ":",
      "：",
      "\"'",
      "`",
      "“",
      "”",
      "http://a:",
      "b@c.d",
      "curl ",
      " -u ",
      "x:y",
      "mysql -p",
    ],
    ...["sshpass -p ", "--token ", "密码是", "口令：", "bearer ", "Basic ", "AccountKey=", ";", "#", "a.b="],
    ...["-----BEGIN ", "RSA ", "PRIVATE KEY", " BLOCK", "-----", "-----END PRIVATE KEY-----", "MIIEvQ"],
    ...[
      "PuTTY-User-Key-File-2",
      "Private-MAC: ",
      "eyJ",
      ".eyJ",
      ".",
      "sk-",
      "ghp_",
      "AKIA",
      "SG.",
      "hooks.slack.com/",
    ],
    ...["https://hooks.slack.com/services/", "to be", "now ", "for staging ", "Q7", "中", "\ud83d\ude00"],
  ),
  fc
    .tuple(fc.constantFrom("a", "Z9", "0f", "x-", "k1 "), fc.integer({ min: 1, max: 60 }))
    .map(([one, n]) => one.repeat(n)),
  fc.string({ maxLength: 8 }),
);
const texts = fc.array(parts, { maxLength: 40 }).map((all) => all.join(""));

it("a text searched in pieces has the matches that it has as a whole", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: SHORT }), (text, piece) => {
      for (const { pattern, reach = USUAL_REACH } of secretRules)
        expect(findInPieces(text, pattern, reach, piece)).toEqual(findWhole(text, pattern));
    }),
  );
});

it.each(secretRules.map(({ name, pattern, reach = USUAL_REACH }) => [name, pattern, reach] as const))(
  "%s: what is as long as it may be is found at the end of a piece as anywhere",
  (_, pattern, reach) => {
    const filling = "k1 Aa0-_".repeat(3_000);
    for (const { make } of shapes.filter(({ name }) => name.endsWith(" × n")).slice(0, 144)) {
      const text = `${filling.slice(0, 5_003)}${make(2_000)}${filling.slice(0, 2_000)}`;
      expect(findInPieces(text, pattern, reach, 5_000)).toEqual(findWhole(text, pattern));
    }
  },
);

it("keys of many lines are found across pieces", () => {
  const body = `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n".repeat(380)}`;
  const key = `-----BEGIN PRIVATE KEY-----\n${body}-----END PRIVATE KEY-----`;
  const jwt = `eyJ${"a1B2".repeat(900)}.eyJ${"c3D4".repeat(1_900)}.${"e5F6".repeat(200)}`;
  for (let before = 0; before < 40_000; before += 1_999) {
    const text = `${"word ".repeat(before / 5)}${key}\n${jwt} end`;
    expect(findSecrets(text).map(({ name }) => name)).toEqual(["private key", "JSON web token"]);
  }
});

it("no step looks at more than a piece and what a pattern reaches behind it, however long the text", () => {
  const pattern = /(?<!\w)a{2,9}b/dg;
  const work = searchInWindows("a".repeat(1_000_000), { pattern, reach: 50 }, () => undefined, 10_000);
  let isDone: boolean | undefined = false;
  for (let steps = 0; !isDone; steps++) {
    const { longest } = countLookedAt(() => {
      isDone = work.next().done;
    });
    expect(Math.max(0, ...longest.values())).toBeLessThanOrEqual(10_051);
    expect(steps).toBeLessThan(200);
  }
});
