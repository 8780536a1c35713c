import { describe, expect, it } from "vitest";
import { planClusters } from "../../layers/6-dream/clusters.js";
import { readStaged } from "../../layers/6-dream/staged.js";
import { atOnce } from "../../src/slices.js";
import { memoryOf } from "../support/memory.js";
import { fc } from "../support/property.js";
import { sliced } from "../support/sliced.js";

const a = memoryOf({ id: "knowledge/a", content: "The api listens on port 8080, see `src/api.ts`." });
const b = memoryOf({ id: "knowledge/b", content: "Port 8080 is the api's; staging uses TLS." });
const c = memoryOf({ id: "knowledge/c", content: "Something else." });
const fixed = memoryOf({ id: "knowledge/pinned", content: "The api is at 8080.", pinned: true });
const clusters = [[a, b, fixed], [c]];
const good = {
  keep: a.id,
  supersede: [b.id],
  content: "The api listens on port 8080 (`src/api.ts`); staging uses TLS.",
  reason: "both are about the port",
};

const findNothing = () => sliced(undefined);

const read = (staged: unknown, findFault = (_: string): string | undefined => undefined) =>
  atOnce(
    readStaged(typeof staged === "string" ? staged : JSON.stringify(staged), clusters, {
      findFault: (content) => sliced(findFault(content)),
    }),
  );

describe("a staged change", () => {
  it("a staged change is accepted if every memory has a successor and no fact is lost", () => {
    const { changes, refused } = read([good]);
    expect(refused).toEqual([]);
    expect(
      changes.map(({ after, before, kind }) => [before.id, kind, after.status, after.supersededBy]),
    ).toEqual([
      ["knowledge/a", "merged", "active", undefined],
      ["knowledge/b", "superseded", "archived", "knowledge/a"],
    ]);
    expect(changes[0]?.after).toEqual({ ...a, content: good.content, aliases: [b.title] });
  });

  it.each([
    ["no JSON", "I have merged them for you!", "is not JSON"],
    ["no list", { keep: a.id }, "is not a list"],
    ["far too much", "x".repeat(300_000), "300000 characters"],
    ["everything at once", Array.from({ length: 201 }, () => good), "more than 200"],
    ["a field too many", [{ ...good, delete: true }], "Unrecognized key"],
    ["nothing to supersede", [{ ...good, supersede: [] }], "supersede"],
    ["a memory of another cluster", [{ ...good, supersede: [c.id] }], "is not of the cluster"],
    ["a memory that is none", [{ ...good, supersede: ["../../etc/passwd"] }], "is not of the cluster"],
    ["itself", [{ ...good, supersede: [a.id] }], "named twice"],
    ["a pinned one", [{ ...good, supersede: [fixed.id] }], "it stays as it is"],
    ["into a pinned one", [{ ...good, keep: fixed.id }], "it stays as it is"],
    [
      "a fact left out",
      [{ ...good, content: "The api listens on some port, with TLS in staging." }],
      "would be lost",
    ],
    ["endless words", [{ ...good, content: "8080 ".repeat(2_000) }], "content"],
  ])("what a model has staged is refused with %s", (_, staged, why) => {
    const { changes, refused } = read(staged);
    expect(changes).toEqual([]);
    expect(refused).toEqual([expect.stringContaining(why)]);
  });

  it("a staged change never rewords the four types that hold the user's words", () => {
    for (const type of ["directive", "preference", "feedback", "pattern"]) {
      const one = memoryOf({ id: `${type}/a`, content: "Answer in German, and in short." });
      const two = memoryOf({ id: `${type}/b`, content: "Answer in short." });
      const entry = { keep: one.id, supersede: [two.id], content: one.content, reason: "the same" };
      const staged = atOnce(readStaged(JSON.stringify([entry]), [[one, two]], { findFault: findNothing }));
      expect(staged.changes).toEqual([]);
      expect(staged.refused).toHaveLength(1);
      expect(planClusters([one, two], () => [one.id, two.id], [])).toEqual([]);
    }
  });

  it("a staged change is refused if its text must not be stored, and one refusal does not affect the others", () => {
    expect(read([good], () => "it has a secret").refused).toEqual(["entry 1: it has a secret"]);
    const { changes, refused } = read([{ ...good, supersede: [c.id] }, good, good]);
    expect(changes).toHaveLength(2);
    expect(refused).toEqual([
      expect.stringContaining("entry 1"),
      expect.stringContaining("in an earlier entry"),
    ]);
  });

  it("a staged change keeps most words of each memory, even without numbers or names", () => {
    const plain = [
      memoryOf({ id: "knowledge/day", content: "The worker reads the mail queue once a day." }),
      memoryOf({ id: "knowledge/night", content: "The worker reads the mail queue at night." }),
    ];
    const entry = { keep: "knowledge/day", supersede: ["knowledge/night"], reason: "" };
    const of = (content: string) =>
      atOnce(readStaged(JSON.stringify([{ ...entry, content }]), [plain], { findFault: findNothing }));
    expect(of("It is read.").refused).toEqual(["entry 1: most of what knowledge/day says would be lost"]);
    expect(of("The worker reads the mail queue once a day, at night.").changes).toHaveLength(2);
  });

  it.each([
    [
      "the environment",
      ["The staging database is reset on Mondays by cron.", "Cron resets the database on Mondays at noon."],
      "The database is reset on Mondays at noon by cron.",
      '"staging" would be lost',
    ],
    [
      "the day",
      ["Releases are cut on Tuesdays at noon.", "Releases are cut at noon."],
      "Releases are cut at noon, on a weekday.",
      '"tuesdays" would be lost',
    ],
    [
      "a name",
      ["The key of the api is kept by Alice.", "The key of the api is in the safe."],
      "The key of the api is kept in the safe.",
      '"alice" would be lost',
    ],
    [
      'a "not" that none of them has',
      ["The api listens on port 8080.", "Port 8080 is the port of the api."],
      "The api does not listen on port 8080, the port of the api.",
      '"not" is in none of them',
    ],
    [
      "a number that none of them has",
      ["The api listens on port 8080.", "Port 8080 is the port of the api."],
      "The api listens on port 8080, the worker port of the api is 9090.",
      '"9090" is in none of them',
    ],
    [
      'the place of a "not"',
      ["The api does not use TLS inside.", "The worker does use TLS inside."],
      "The api does use TLS inside, the worker does not.",
      '"not us…" would be lost',
    ],
    ["不", ["接口不重试。", "接口会超时。"], "接口重试，不会超时。", "would be lost"],
  ])("what a model has staged is refused where it changes %s", (_, contents, content, why) => {
    const cluster = contents.map((one, n) => memoryOf({ id: `knowledge/m${n}`, content: one }));
    const entry = { keep: "knowledge/m0", supersede: ["knowledge/m1"], content, reason: "" };
    const { changes, refused } = atOnce(
      readStaged(JSON.stringify([entry]), [cluster], { findFault: findNothing }),
    );
    expect(changes).toEqual([]);
    expect(refused).toEqual([expect.stringContaining(why)]);
  });

  it("a staged file of any content never causes a failure", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc
            .array(fc.record({ keep: fc.constant(a.id), supersede: fc.anything() }))
            .map((one) => JSON.stringify(one)),
        ),
        (staged) => {
          expect(read(staged ?? "").changes).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
