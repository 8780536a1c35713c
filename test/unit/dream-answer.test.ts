import { describe, expect, it } from "vitest";
import { checkAnswer, createAskModel, planGroups } from "../../layers/6-dream/ask-model.js";
import { merge, planDream, readChanges } from "../../layers/6-dream/plan.js";
import type { GenerationRequest, GenerationResult } from "../../src/models/generation.js";
import { atOnce } from "../support/at-once.js";
import { memoryOf } from "../support/memory.js";

const a = memoryOf({ id: "knowledge/a", content: "The api listens on port 8080, see `src/api.ts`." });
const b = memoryOf({ id: "knowledge/b", content: "Port 8080 is the api's; staging uses TLS." });
const c = memoryOf({ id: "knowledge/c", content: "Something else." });
const fixed = memoryOf({ id: "knowledge/pinned", content: "The api is at 8080.", pinned: true });
const groups = [[a, b, fixed], [c]];
const good = {
  keep: a.id,
  supersede: [b.id],
  content: "The api listens on port 8080 (`src/api.ts`); staging uses TLS.",
  reason: "both are about the port",
};

const read = (answer: unknown, among = groups) =>
  atOnce(checkAnswer(typeof answer === "string" ? answer : JSON.stringify(answer), among));

/** What is written of these merges. */
function carryOut(merges: ReturnType<typeof read>["merges"]) {
  const { drafts } = planDream({
    memories: groups.flat(),
    nowMs: Date.parse("2026-11-21T10:00:00Z"),
    effectiveImportance: () => 1,
    lastUsedMs: () => 0,
    isWatchedSince: () => false,
    missingPaths: () => [],
  });
  for (const one of merges) merge(drafts, one);
  return readChanges(drafts);
}

describe("a change of the model's", () => {
  it("a change of the model's is accepted if every memory has a successor and no fact is lost", () => {
    const { merges, refused } = read([good]);
    expect(refused).toEqual([]);
    const changes = carryOut(merges);
    expect(
      changes.map(({ after, before, kind }) => [before.id, kind, after.status, after.supersededBy]),
    ).toEqual([
      ["knowledge/a", "merged", "active", undefined],
      ["knowledge/b", "superseded", "archived", "knowledge/a"],
    ]);
    expect(changes[0]?.after).toEqual({ ...a, content: good.content, aliases: [b.title] });
  });

  it.each([
    ["no JSON", "I have merged them for you!", "is not a JSON list"],
    ["no list", { keep: a.id }, "is not a JSON list"],
    ["everything at once", Array.from({ length: 201 }, () => good), "more than 200"],
    ["a field too many", [{ ...good, delete: true }], "Unrecognized key"],
    ["nothing to supersede", [{ ...good, supersede: [] }], "supersede"],
    ["a memory of another group", [{ ...good, supersede: [c.id] }], "is not of the group"],
    ["a memory that is none", [{ ...good, supersede: ["../../etc/passwd"] }], "is not of the group"],
    ["itself", [{ ...good, supersede: [a.id] }], "named twice"],
    ["a pinned one", [{ ...good, supersede: [fixed.id] }], "it stays as it is"],
    ["into a pinned one", [{ ...good, keep: fixed.id }], "it stays as it is"],
    ["endless words", [{ ...good, content: "8080 ".repeat(2_000) }], "content"],
  ])("an answer of the model's is refused with %s", (_, answer, why) => {
    const { merges, refused } = read(answer);
    expect(merges).toEqual([]);
    expect(refused).toEqual([expect.stringContaining(why)]);
  });

  it("a change of the model's never rewords the four types that hold the user's words", () => {
    for (const type of ["directive", "preference", "feedback", "pattern"]) {
      const one = memoryOf({ id: `${type}/a`, content: "Answer in German, and in short." });
      const two = memoryOf({ id: `${type}/b`, content: "Answer in short." });
      const entry = { keep: one.id, supersede: [two.id], content: one.content, reason: "the same" };
      const checked = read([entry], [[one, two]]);
      expect(checked.merges).toEqual([]);
      expect(checked.refused).toHaveLength(1);
      expect(planGroups([one, two], [])).toEqual([]);
    }
  });

  it("a change of the model's is refused if its text must not be stored, and one refusal does not affect the others", () => {
    const key = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
    const secret = memoryOf({ id: "knowledge/a", content: `${a.content} The key is ${key}.` });
    expect(read([{ ...good, content: `${good.content} The key is ${key}.` }], [[secret, b]]).refused).toEqual(
      [expect.stringContaining("entry 1: ")],
    );
    const { merges, refused } = read([{ ...good, supersede: [c.id] }, good, good]);
    expect(carryOut(merges)).toHaveLength(2);
    expect(refused).toEqual([
      expect.stringContaining("entry 1"),
      expect.stringContaining("in an earlier entry"),
    ]);
  });

  it.each([
    [
      ["The worker reads the queue daily.", "The worker reads the queue at night."],
      "It is read.",
      "most of what",
    ],
    [
      ["Staging is reset by cron.", "It is reset at noon by cron."],
      "It is reset at noon by cron.",
      '"staging"',
    ],
    [
      ["Releases are cut on Tuesdays.", "Releases are cut at noon."],
      "Releases are cut at noon.",
      '"tuesdays"',
    ],
    [["The key is kept by Alice.", "The key is in the safe."], "The key is kept in the safe.", '"alice"'],
    [
      ["The api listens on 8080.", "8080 is the api's."],
      "The api does not listen on 8080.",
      '"not" is in none',
    ],
    [["The api listens on 8080.", "8080 is the api's."], "The api listens on 8080, not 9090.", "is in none"],
    [
      ["The api does not use TLS inside.", "The worker does use TLS inside."],
      ...["The api does use TLS inside, the worker does not.", '"not us…" would be lost'],
    ],
    [["接口不重试。", "接口会超时。"], "接口重试，不会超时。", "would be lost"],
  ])("of %j an answer cannot make %j", (contents, content, why) => {
    const group = [contents].flat().map((one, n) => memoryOf({ id: `knowledge/m${n}`, content: one }));
    const entry = { keep: "knowledge/m0", supersede: ["knowledge/m1"], content, reason: "" };
    const { merges, refused } = read([entry], [group]);
    expect(merges).toEqual([]);
    expect(refused).toEqual([expect.stringContaining(String(why))]);
  });
});

describe("a dream's prompt", () => {
  const long = (name: string) =>
    memoryOf({ id: `knowledge/${name}`, content: `${name} ${"word ".repeat(700)}` });

  async function ask(maxTokens: number, answer: GenerationResult) {
    const requests: GenerationRequest[] = [];
    const askModel = createAskModel({
      generation: {
        async generate(request) {
          requests.push(request);
          return answer;
        },
      },
      prompts: { read: async () => "Tidy these: {{groups}}" },
      ...{ sessionID: "ses_1", deadlineMs: 1_000, maxTokens },
    });
    const some = [
      [long("one"), long("two")],
      [long("three"), long("four")],
      [a, b],
    ];
    const result = await askModel(some, new AbortController().signal);
    const asked = "asked" in result ? result.asked.map((group) => some.indexOf(group as never)) : [];
    return { asked, request: requests[0], result };
  }

  const text = (text: string): GenerationResult => ({
    kind: "text",
    text,
    tokens: { input: 1, output: 1, cacheRead: 0 },
  });

  it("a dream's prompt has the groups that fit into its tokens, and the answer takes at most half of them", async () => {
    const all = await ask(50_000, text("[]"));
    expect(all.asked).toEqual([0, 1, 2]);
    expect(all.request).toMatchObject({ purpose: "dream", sessionID: "ses_1", maxCharacters: 16_000 });
    expect(all.request?.prompt).toContain('"id": "knowledge/two"');
    const few = await ask(10_500, text("[]"));
    expect(few.asked).toEqual([0, 2]);
    expect(few.request).toMatchObject({ maxCharacters: 5_250 });
    expect(few.request?.prompt).not.toContain("knowledge/three");
    const none = await ask(500, text("[]"));
    expect([none.request, none.result.kind]).toEqual([undefined, "refused"]);
  });
});
