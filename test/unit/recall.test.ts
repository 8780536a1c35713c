import { describe, expect, it } from "vitest";
import { createRecall, type Recall, type RecallEntry } from "../../src/recall/recall.js";

/** 2026-11-21, a Saturday. */
const NOW = Date.UTC(2026, 10, 21, 9);

function recallOf(...entries: RecallEntry[]): Recall {
  const recall = createRecall({ now: () => NOW, wordVectors: false });
  for (const entry of entries) recall.add(entry);
  return recall;
}

const ids = (hits: readonly { id: string }[]): string[] => hits.map(({ id }) => id);
const text = (id: string, words: string, more: Partial<RecallEntry> = {}): RecallEntry => ({
  id,
  text: words,
  ...more,
});

describe("words", () => {
  const recall = recallOf(
    text("port", "The dev server listens on port 8080."),
    text("build", "createUserIndex in src/context/request.ts builds the table of users."),
    text("snake", "max_retry_count stops the loop."),
    text("chinese", "开发服务器的端口改成了 8080。"),
    text("french", "Le café est fermé."),
  );
  const cases: [query: string, first: string][] = [
    ["Which ports did we use?", "port"],
    ["createUserIndex", "build"],
    ["request.ts", "build"],
    ["src/context/request.ts:12", "build"],
    ["max_retry_count", "snake"],
    ["服务器端口是什么", "chinese"],
    ["cafe ferme", "french"],
  ];
  it.each(cases)("recall %s finds %s", (query, first) => {
    expect(ids(recall.search(query))[0]).toBe(first);
  });

  it("recall guesses only if nothing matches as written", () => {
    expect(ids(recall.search("serwer"))).toEqual(["port"]);
    expect(ids(recall.search("serv"))).toEqual(["port"]);
    expect(ids(recall.search("serwer coffee café"))).toEqual(["french"]);
  });

  it.each(["", "   ", "what did we do with it?", "?!…", "\u0000", "\ud800"])(
    "recall finds nothing for %j",
    (query) => {
      expect(recall.search(query)).toEqual([]);
      expect(recall.match(query)).toEqual([]);
    },
  );
});

describe("dates", () => {
  const recall = recallOf(
    text("may", "Went hiking with Ana", { date: "2023-05-08" }),
    text("june", "Went hiking with Ana", { date: "1:56 pm on 8 June, 2023" }),
    text("tuesday", "Went hiking with Ana", { date: NOW - 4 * 86_400_000 }),
    text("yesterday", "Went hiking with Ana", { date: new Date(NOW - 86_400_000) }),
    text("undated", "Went hiking with Ana", { date: "some day" }),
  );
  const cases: [query: string, first: string][] = [
    ["Who went hiking in May 2023?", "may"],
    ["Who went hiking on 8 May?", "may"],
    ["Who went hiking on June 8th, 2023?", "june"],
    ["Who went hiking last Tuesday?", "tuesday"],
    ["Who went hiking yesterday?", "yesterday"],
    ["2023-06-08", "june"],
  ];
  it.each(cases)("%s finds %s", (query, first) => {
    expect(ids(recall.search(query))[0]).toBe(first);
  });
});

it("recall raises the neighbours of a hit, even if they share no word", () => {
  const found = recallOf(
    text("q", "Where did you buy the lamp?", { group: "s1", order: 1 }),
    text("a", "At the flea market on Sunday.", { group: "s1", order: 2 }),
    text("later", "See you soon!", { group: "s1", order: 3 }),
    text("elsewhere", "Nothing of it.", { group: "s2", order: 1 }),
  ).search("buy lamp");
  expect(ids(found)).toEqual(["q", "a", "later"]);
  expect(found[1]?.why).toContain("near q");
});

it("recall follows a link, an issue or a file one step, and no further", () => {
  const found = recallOf(
    text("hit", "The cache is cold. See #34 and src/cache.ts.", { links: ["linked"] }),
    text("linked", "Something else."),
    text("issue", "What #34 says."),
    text("file", "Another word in src/cache.ts."),
    text("two steps", "Far away.", { links: ["issue"] }),
  ).search("cold cache");
  expect(ids(found)[0]).toBe("hit");
  expect(new Set(ids(found))).toEqual(new Set(["hit", "linked", "issue", "file"]));
});

describe("what may be shown unasked", () => {
  const recall = recallOf(
    text("k8s", "Deploys go to EKS with Helm charts.", { title: "kubernetes", aliases: ["k8s", "kube"] }),
    text("ci", "Merges to main deploy to staging.", { title: "GitHub Actions", aliases: ["CI pipeline"] }),
    text("typescript", "Strict mode, no implicit any.", { aliases: ["TypeScript"] }),
    text("mongo", "The raw driver with explicit types.", { aliases: ["MongoDB", "Mongo"] }),
    text("letters", "Failed messages are replayed by hand from the admin command."),
    text("bug", "src/parse.ts fails on tabs.", { links: ["ci"], aliases: ["tab bug"] }),
    text("port", "端口是 8080。", { aliases: ["端口"] }),
  );
  const cases: [message: string, matched: string[]][] = [
    ["why is the kube deploy slow?", ["k8s"]],
    ["ci pipelines on github actions", ["ci"]],
    ["typscript setup", ["typescript"]],
    ["typsecript setup", ["typescript"]],
    ["mongod keeps crashing", ["mongo"]],
    ["the mango is ripe", []],
    ["show me the messages", []],
    ["what failed, which messages?", ["letters"]],
    ["have a look at src/parse.ts", ["bug", "ci"]],
    ["that tab bug again", ["bug", "ci"]],
    ["端口是多少", ["port"]],
  ];
  it.each(cases)("%s → %j", (message, matched) => {
    expect(ids(recall.match(message))).toEqual(matched);
  });
});

describe("meaning of words, from the built-in table", () => {
  const recall = createRecall({ now: () => NOW });
  recall.add(text("theme", "Prefers a dark colour scheme in the editor."));
  recall.add(text("coffee", "Drinks coffee without sugar."));

  it("the built-in table of meanings finds paraphrases", () => {
    expect(ids(recall.search("what beverage in the morning, tea?"))[0]).toBe("coffee");
    expect(ids(recall.search("which background shade?"))[0]).toBe("theme");
  });

  it("the built-in table of meanings is not used for names", () => {
    expect(recall.search("beverage_kind")).toEqual([]);
  });
});

describe("meaning, from an embedder", () => {
  const animals: Record<string, number[]> = {
    kitten: [1, 0.1],
    cat: [1, 0],
    steel: [0, 1],
    bridge: [0.1, 1],
  };
  const embed = async (texts: readonly string[]) =>
    texts.map((given) => {
      const word = Object.keys(animals).find((name) => given.includes(name));
      return word === undefined ? undefined : Float32Array.from(animals[word] ?? []);
    });
  const fill = async (recall: Recall): Promise<Recall> => {
    recall.add(text("cat", "a cat"));
    recall.add(text("bridge", "a bridge"));
    recall.add(text("secret", "the kitten's name", { isPrivate: true }));
    await recall.embed();
    return recall;
  };

  it("recall with an embedder finds entries that share no word", async () => {
    const recall = await fill(createRecall({ wordVectors: false, embedder: { weight: 0.2, embed } }));
    expect(ids(recall.search("steel"))).toEqual([]);
    expect(ids(await recall.searchByMeaning("steel"))).toEqual(["bridge"]);
  });

  it("recall with a failing embedder gives the hits of words alone", async () => {
    const failing = async () => Promise.reject(new Error("no"));
    const recall = createRecall({ wordVectors: false, embedder: { weight: 0.2, embed: failing } });
    await expect(fill(recall)).rejects.toThrow("no");
    expect(await recall.searchByMeaning("a bridge")).toEqual(recall.search("a bridge"));
  });
});
