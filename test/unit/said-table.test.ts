import { describe, expect, it } from "vitest";
import handed from "../support/handed.json" with { type: "json" };
import { openMemoryTools } from "../support/memory-tools.js";

/** The user's words and an agent's memory of them. */
interface Handed {
  /** How the memory changes the words, or why it is right. */
  what: string;
  said: readonly (string | { text: string; asked?: string })[];
  content: string;
  type?: string;
  /** The kept memory; without it the agent's is refused. */
  kept?: string;
}

/** Faithful restatements of the user's words, as agents write them, and those that twist them, each in another way. */
const faithful: readonly Handed[] = handed.faithful;
const twisted: readonly Handed[] = handed.twisted;

/** What is kept of what an agent hands over, with its title; nothing where it is refused. */
async function hand({ content, said, type = "directive" }: Handed) {
  const { remember, store } = openMemoryTools({ said: [...said] });
  const title = "What the agent calls it";
  const answer = await remember({ content, title, type }).catch((thrown: Error) => thrown.message);
  return { answer, kept: [...store.all.values()] };
}

const textsOf = ({ said }: Handed): string =>
  said.map((one) => (typeof one === "string" ? one : `${one.asked} ${one.text}`)).join(" ");
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

describe("an agent that twists what the user said", () => {
  it.each(twisted.map((one) => [one.what, one] as const))(
    "an agent that twists what the user said is refused, or the user's own words are kept: %s",
    async (_, twist) => {
      const { answer, kept } = await hand(twist);
      expect(kept.map(({ content }) => content)).toEqual(twist.kept === undefined ? [] : [twist.kept]);
      for (const { content, provenance, title } of kept) {
        const said = new Set(wordsOf(textsOf(twist).toLowerCase()));
        expect(wordsOf(`${title} ${content}`.toLowerCase()).filter((word) => !said.has(word))).toEqual([]);
        expect(provenance).toMatchObject({ by: "user", evidence: content, how: "tool" });
        expect(answer).toContain(`Word for word: ${content}`);
      }
    },
  );
});

describe("an agent that repeats what the user said", () => {
  it.each(faithful.filter(({ kept }) => kept !== undefined).map((one) => [one.what, one] as const))(
    "an agent that repeats what the user said has it kept in the user's words: %s",
    async (_, { kept, ...given }) => {
      const found = await hand({ ...given });
      expect(found.kept.map(({ content }) => content)).toEqual([kept]);
      expect(found.kept[0]?.title).not.toContain("agent");
    },
  );

  it("an agent that repeats what the user said is refused where its words are quite others, and told what to do", async () => {
    for (const one of faithful.filter(({ kept }) => kept === undefined))
      expect((await hand(one)).answer).toMatch(/Nothing was changed.*ask the user/);
  });
});
