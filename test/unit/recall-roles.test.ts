import { describe, expect, it } from "vitest";
import { findRole } from "../../src/memory/search/past-notes.js";
import { createRecall, type RecallEntry } from "../../src/recall/recall.js";
import { findPlace } from "../../src/recall/vectors.js";

/** A session in which the assistant repeats at length what the user said in passing. */
function chat(name: string, turns: readonly (readonly [user: string, assistant: string])[]): RecallEntry[] {
  return turns.flatMap(([user, assistant], n): RecallEntry[] => [
    { id: `${name}:u${n}`, group: name, order: 2 * n, role: "user", text: user },
    { id: `${name}:a${n}`, group: name, order: 2 * n + 1, role: "assistant", text: assistant },
  ]);
}

const SAID = chat("garden", [
  [
    "Which soil do tomatoes need? By the way, mine stand on the balcony.",
    "Tomatoes need rich soil. Tomatoes on a balcony need large pots with soil, and balcony soil dries fast.",
  ],
  [
    "And how often do I water them?",
    "Water tomatoes on a balcony daily; tomatoes in balcony pots dry out. I recommend a drip line of 4 mm.",
  ],
]);

const search = (entries: readonly RecallEntry[], query: string): string[] => {
  const recall = createRecall({ wordVectors: false, now: () => 0 });
  for (const entry of entries) recall.add(entry);
  return recall.search(query).map(({ id }) => id);
};

it("the user's words come before the assistant's longer ones on the same subject", () => {
  const question = "tomatoes in soil on the balcony";
  const unknown = SAID.map(({ role: _, ...entry }) => entry);
  expect(search(unknown, question)[0]).not.toBe("garden:u0");
  expect(search(SAID, question)[0]).toBe("garden:u0");
});

it("what only the assistant said is still found, and comes first if the query asks for it", () => {
  expect(search(SAID, "drip line")[0]).toBe("garden:a1");
  expect(search(SAID, "what did you recommend for the tomatoes on the balcony")[0]).toMatch(/:a/);
});

it.each([
  "what did you recommend for tomatoes on the balcony",
  "you once suggested something for tomatoes on the balcony",
  "your advice on tomatoes on the balcony",
  "what was it in our last conversation on tomatoes on the balcony",
])("%s asks for both sides alike", (query) => {
  const unknown = SAID.map(({ role: _, ...entry }) => entry);
  expect(search(SAID, query)).toEqual(search(unknown, query));
});

describe("lines of session notes", () => {
  it.each([
    ["Request 3 (2026-03-01 10:00 UTC): use port 8080", "user"],
    ["Request 3: use port 8080", "user"],
    ["Request 12 (2026-03-01 10:00 UTC): > use port 8080 > please", "user"],
    ["User: never force-push", "user"],
    ["Last answer (to request 3): done", "assistant"],
    ["Request 2 → The port is now 8080.", "assistant"],
    ["Before the first request → Hello.", "assistant"],
    ["Agent: the cache was cold, so the test failed", "assistant"],
    ['Subagent "look" found: "nothing"', "assistant"],
    ["`src/port.ts` (read and edited)", undefined],
    ["`npm test` → exit 1", undefined],
    ["Requests are slow since the upgrade", undefined],
  ])("%s is of the side %s", (line, side) => {
    expect(findRole(line)).toBe(side);
  });
});

it("the table is looked for in the package only, from the sources and from a bundle", () => {
  const placeOf = (module: string) => new URL(findPlace(module), module).pathname;
  expect(placeOf("file:///app/src/recall/word-vectors.ts")).toBe("/app/vectors/words.json");
  expect(placeOf("file:///app/node_modules/opencode-strata/dist/plugin-x.js")).toBe(
    "/app/node_modules/opencode-strata/vectors/words.json",
  );
  expect(placeOf("file:///src/recall/dist/recall.js")).toBe("/src/recall/vectors/words.json");
});
