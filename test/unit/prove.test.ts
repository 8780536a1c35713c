/** What a judge may not decide alone. */
import { describe, expect, it } from "vitest";
import { prove } from "../../layers/5-auto-memory/judge/prove.js";
import type { SaidStatement } from "../../src/memory/candidates/candidate.js";
import type { MemoryType } from "../../src/memory/memory.js";

interface Given {
  says: string;
  quote: readonly (string | SaidStatement)[];
  type?: MemoryType;
  isGlobal?: boolean;
  context?: string;
}

function judge({ context, isGlobal = false, quote, says, type = "knowledge" }: Given) {
  const statements = quote.map((one) => (typeof one === "string" ? { text: one } : one));
  const around = statements.map(({ text }) => text).join("\n");
  return prove(
    { type, isGlobal, says },
    { quote: statements, around, ...(context !== undefined && { context }) },
  );
}
const WAITS = "waits for the user";
const contentOf = (given: Given): string => {
  const proved = judge(given);
  if (typeof proved === "string") return `refused: ${proved}`;
  return proved.isProved ? proved.content : WAITS;
};

describe("a rule of the user's", () => {
  it.each(["directive", "preference", "feedback"] as const)(
    "a %s is the quote, letter by letter, whatever the judge says",
    (type) => {
      const quote = ["please, use tabs!!", "and no spaces :)"];
      expect(contentOf({ type, quote, says: "Use tabs for indentation." })).toBe(
        "please, use tabs!! and no spaces :)",
      );
    },
  );

  it("a rule has its heading once, and is refused where the heading gives it to somebody else", () => {
    const below = (heading: string) => ["tabs", "no defaults"].map((text) => ({ text, heading }));
    expect(contentOf({ type: "directive", quote: below("House rules:"), says: "x" })).toBe(
      "House rules: tabs no defaults",
    );
    expect(
      contentOf({ type: "directive", quote: below("The reviewer wrote in a comment:"), says: "x" }),
    ).toMatch(/^refused: .*somebody else/);
    for (const others of ["客户说：", "From the ticket:", "The docs of the library:"])
      expect(contentOf({ type: "directive", quote: below(others), says: "x" })).toMatch(/^refused/);
    for (const own of ["To answer your questions:", "Implementation requirements:", "For the stats page:"])
      expect(contentOf({ type: "directive", quote: below(own), says: "x" })).not.toMatch(/^refused/);
  });

  it("a rule is not made of a question, and a fact that one implies may be", () => {
    const quote = [{ text: "Should we always deploy on Fridays?", isQuestion: true as const }];
    expect(contentOf({ type: "directive", quote, says: "Always deploy on Fridays." })).toBe(
      "refused: the quote is a question",
    );
    expect(judge({ type: "idea", quote, says: "Deploy on Fridays?" })).toMatchObject({ type: "idea" });
  });
});

describe("a fact in the judge's words", () => {
  it.each([
    ["English", "we moved the invoices over to sqlite last month", "The invoices lie in SQLite."],
    ["Chinese", "发票现在都存在 sqlite 里", "发票存在 sqlite。"],
    ["a number among Chinese characters", "测试库的端口用5433，你看下行不行", "测试数据库的端口是5433。"],
    ["a Korean particle behind it", "테스트 DB 포트 5433 이야", "테스트 DB는 5433을 쓴다."],
    ["a Chinese form of question", "发票是不是要改，我们的域名已经备案过了", "域名已经备案过了。"],
    ["one of several clauses", "日志先不用管，发票每年重新编号", "发票每年重新编号。"],
    [
      "a Russian compound",
      "Сделай лендинг для YouTube канала о рыбалке",
      "Лендинг сделан для YouTube-канала о рыбалке.",
    ],
    ["a tool in its own spelling", "we go on with nextjs for the shop", "The shop is built with Next.js."],
    [
      "the Portuguese for 'in the'",
      "os backups ficam no disco em casa",
      "Os backups estão num disco em casa.",
    ],
    ["a negation without its accent", "a fila nao usa redis", "A fila não usa Redis."],
    ["German nouns", "rechnungen liegen im archiv", "Die Rechnungen liegen im Archiv."],
    ["another Japanese negation", "請求書は手で直さないで生成する", "請求書は手で直さずに生成する。"],
    ["a declined name", "na 3000 mam grafane", "Na porcie 3000 działa Grafana."],
    ["a choice against something", "vamos de celery e nao de rq", "Foi escolhido o Celery em vez do RQ."],
    ["the Ukrainian for 'there is none'", "на складі нема світла", "На складі немає світла."],
    [
      "letters with stops between them",
      "count guests, hosts and staff",
      "Everybody counts, i.e. guests, hosts and staff.",
    ],
  ])("a fact in the judge's words is kept where the quote supports it: %s", (_, quote, says) => {
    expect(contentOf({ quote: [quote], says })).toBe(says);
  });

  it("a fact may name what the agent had asked, for the user answered that", () => {
    const given = { quote: ["yes, that one"], says: "The staging database is Postgres 15." };
    expect(contentOf(given)).toBe(WAITS);
    expect(
      contentOf({ ...given, context: "the agent had asked: Is the staging database Postgres 15?" }),
    ).toBe(given.says);
  });

  it.each([
    ["a number", "the port of staging is free", "The port of staging is 5433."],
    ["a path", "the importer is slow", "The importer src/import.ts is slow."],
    ["a negation", "the importer reads big files", "The importer does not read big files."],
    ["a German negation", "der Import liest große Dateien", "Der Import liest keine großen Dateien."],
    ["a negation left out", "the importer does not read big files", "The importer reads big files."],
    ["a number that is part of another", "port 8080 is free", "Port 80 is free."],
    ["an Italian negation", "si può fare il push su main", "Il push su main non è consentito."],
    [
      "a Portuguese negation left out",
      "nunca roda migration no deploy em prod",
      "As migrations rodam no deploy.",
    ],
    ["a Turkish negation left out", "CDN kullanmıyoruz", "CDN kullanılıyor."],
    ["a Chinese number", "端口用5433", "端口是6419。"],
    ["a negation of one clause left out", "发票每年编号，千万不要用npm安装", "千万用npm安装，发票每年编号。"],
  ])(
    "a fact with %s that the quote lacks, or without one that it has, waits for the user",
    (_, quote, says) => {
      expect(contentOf({ quote: [quote], says })).toBe(WAITS);
    },
  );
});

describe("what holds in all projects", () => {
  const everywhere = (text: string, given: Partial<Given> = {}) => {
    const proved = judge({ type: "preference", quote: [text], says: text, isGlobal: true, ...given });
    return typeof proved === "string" ? proved : proved.isGlobal;
  };

  it("holds in all projects only what the user says does, and never because the agent had said so", () => {
    expect(everywhere("I want tabs in all my projects.")).toBe(true);
    expect(everywhere("所有项目都用制表符。")).toBe(true);
    expect(everywhere("I want tabs.")).toBe(false);
    expect(everywhere("I want tabs, but not in all projects.")).toBe(false);
    expect(everywhere("Yes, tabs.", { context: "the agent had asked: In all your projects?" })).toBe(false);
    expect(everywhere("I want tabs in all my projects.", { isGlobal: false })).toBe(false);
  });
});
