/** Sentences that say themselves that they last, and those that only sound so. */
import { describe, expect, it } from "vitest";
import { findMark } from "../../layers/5-auto-memory/words/marked.js";
import { readStatements, type Statement } from "../../layers/5-auto-memory/words/statements.js";
import { findCore, LEAST_WORTH, weighShape } from "../../layers/5-auto-memory/words/worth.js";
import { MESSAGE, messageOf } from "../support/extraction.js";
import { fc } from "../support/property.js";

/** Each marked sentence of the message, with its type. */
function marksOf(text: string): string[] {
  const statements = readStatements({ id: "msg_1", text });
  return statements.flatMap((one) => {
    const type = findMark(one, statements);
    return type === undefined ? [] : [`${type}: ${one.text}`];
  });
}

const marked: Record<string, { remember: string; fromNowOn: string; always: string; never: string }> = {
  English: {
    remember: "Please remember: the staging port is 5433.",
    fromNowOn: "From now on, answer in whole sentences.",
    always: "Always pass the locale to the formatter.",
    never: "And never push to main without asking.",
  },
  Spanish: {
    remember: "Recuerda que el puerto de pruebas es 5433.",
    fromNowOn: "A partir de ahora usa pnpm.",
    always: "Siempre pasa el idioma al formateador.",
    never: "Por favor, nunca subas nada a main.",
  },
  Portuguese: {
    remember: "Lembre-se de que a porta de testes é 5433.",
    fromNowOn: "De agora em diante use pnpm.",
    always: "Sempre passe o idioma ao formatador.",
    never: "Nunca envie nada para main.",
  },
  French: {
    remember: "Retiens que le port de test est 5433.",
    fromNowOn: "Désormais, utilise pnpm.",
    always: "Il faut toujours passer la langue au formateur.",
    never: "Ne pousse jamais sur main.",
  },
  German: {
    remember: "Merk dir: der Testport ist 5433.",
    fromNowOn: "Ab jetzt bitte pnpm verwenden.",
    always: "Immer die Sprache an den Formatierer geben.",
    never: "Bitte niemals auf main pushen.",
  },
  Italian: {
    remember: "Ricorda che la porta di prova è 5433.",
    fromNowOn: "D'ora in poi usa pnpm.",
    always: "Sempre passare la lingua al formattatore.",
    never: "Non fare mai push su main.",
  },
  Russian: {
    remember: "Запомни: тестовый порт 5433.",
    fromNowOn: "Отныне используй pnpm.",
    always: "Всегда передавай язык форматтеру.",
    never: "Никогда не пушь в main.",
  },
  Chinese: {
    remember: "请记住：测试端口是 5433。",
    fromNowOn: "从现在起使用 pnpm。",
    always: "务必把语言传给格式化器。",
    never: "永远不要直接推送到 main。",
  },
  Japanese: {
    remember: "覚えておいて：テストのポートは5433です。",
    fromNowOn: "今後は pnpm を使ってください。",
    always: "必ず言語をフォーマッターに渡すこと。",
    never: "絶対に main に直接プッシュしないで。",
  },
  Korean: {
    remember: "기억해 주세요: 테스트 포트는 5433입니다.",
    fromNowOn: "앞으로는 pnpm을 사용하세요.",
    always: "항상 언어를 포매터에 전달하세요.",
    never: "절대로 main에 직접 푸시하지 마세요.",
  },
};

describe.each(Object.entries(marked))("in %s", (language, { always, fromNowOn, never, remember }) => {
  it(`in ${language} what is to be remembered is knowledge, and what is to hold is a rule`, () => {
    expect(marksOf(remember)).toEqual([`knowledge: ${remember}`]);
    for (const rule of [fromNowOn, always, never]) expect(marksOf(rule)).toEqual([`directive: ${rule}`]);
  });
});

describe("what only sounds so", () => {
  it.each([
    "Never mind, I found it in the logs myself.",
    "Don't forget to push today before you leave.",
    "Remember when we had three servers for this?",
    "Always happens to me when I deploy.",
    "Esto nunca funciona a la primera.",
    "Immer passiert mir das am Freitag.",
    "Sempre mi succede di venerdì.",
    "Всегда падает на второй попытке.",
    "每次都报同样的错误，不知道为什么。",
    "いつも金曜日に失敗します。",
    "항상 금요일에 실패해요 왜 그럴까요",
    "In future work we may look at the cache.",
    "Always!",
  ])("what only sounds so is not kept: %s", (text) => {
    expect(marksOf(text)).toEqual([]);
  });

  it("a rule below a heading that is no mark is the judge's, for it holds for what the heading names", () => {
    expect(marksOf("Style guide for the newsletter bot:\n- Never use emojis in a headline.")).toEqual([]);
    expect(marksOf("IMPORTANT:\n- Never add a dependency without asking.")).toHaveLength(1);
  });

  it("a list that the user asks about, a part to play, a document and a very long sentence are not kept", () => {
    const list = "1. never store tokens in the browser\n2. always log the request id";
    expect(marksOf(list)).toHaveLength(2);
    expect(marksOf(`${list}\nWhich of the two matters more?`)).toEqual([]);
    expect(marksOf("You are a pirate. Always speak in rhymes. Never break character.")).toEqual([]);
    const document = Array.from({ length: 41 }, (_, n) => `Never change the value number ${n}.`).join("\n");
    expect(marksOf(document)).toEqual([]);
    expect(marksOf(`Never ${"change anything here ".repeat(20)}.`)).toEqual([]);
  });
});

/* The filter before a judge: the shape of a message, and none of its words. */

const read = (text: string) => readStatements({ id: "msg_1", text });
const weigh = (text: string): number => weighShape({ statements: read(text), characters: text.length });

describe("what a message is worth", () => {
  it("what a message is worth does not depend on its words: any letters in their place weigh the same", () => {
    const letter = fc.constantFrom(..."abdfghklmnprtuz");
    fc.assert(
      fc.property(letter, letter, (one, other) => {
        const worded = MESSAGE.replace(/[a-z]/g, (_, at: number) => (at % 2 === 0 ? one : other));
        expect(weigh(worded)).toBe(weigh(MESSAGE));
      }),
    );
    expect(weigh(messageOf("Never write to the SQLite file from two processes."))).toBe(
      weigh(messageOf("Thanks, I like the colour of the button a lot now.")),
    );
  });

  it("what a message is worth is nothing where it only asks, and less for a greeting than for a description", () => {
    expect(weigh("Why does it fail? Is the port taken? What is in the 3 logs of src/http.ts?")).toBe(0);
    expect(weigh("")).toBe(0);
    expect(weigh("ok, go on")).toBeLessThan(LEAST_WORTH);
    expect(weigh(MESSAGE)).toBeGreaterThanOrEqual(LEAST_WORTH);
  });

  it("what a message is worth grows with its clauses where a comma ends them, and in Latin letters with its sentences", () => {
    expect(weigh("服务器在公司内网，数据库每天晚上备份，客户只用手机访问")).toBeGreaterThan(
      weigh("服务器在公司内网而且数据库每天晚上备份所以客户只用手机访问"),
    );
    const clauses = "The server is in the office, it is saved at night, and clients use phones";
    expect(weigh(clauses)).toBe(weigh(clauses.replaceAll(",", ";")));
  });

  it("the sentence that a person is shown is the fullest one that asks nothing", () => {
    const of = (text: string, isQuestion = false): Statement => ({ text, isItem: false, isQuestion });
    const long = of("Shall we, before anything else is done, look at all of the importers at once?", true);
    expect(findCore([of("Ok."), long, of("The port is 8080.")])).toBe(2);
  });
});
