import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lookForSignals } from "../../layers/5-auto-memory/signals/find-signals.js";
import { type Tongue, tongueOf } from "../../layers/5-auto-memory/signals/tongues/tongue.js";
import { readLearned } from "../../layers/5-auto-memory/signals/weigh.js";
import { atOnce } from "../../src/slices.js";

const findSignals = (text: string) => atOnce(lookForSignals(text)).signals;

const samples = join(import.meta.dirname, "../samples");
const readSample = (path: string) => readFileSync(join(samples, path), "utf8").trimEnd().split("\n");

describe("a sentence's language", () => {
  const known: [string, Tongue][] = [
    ["add a button to the page", "en"],
    ["pnpm install", "en"],
    ["以后提交信息都用英文写", "zh"],
    ["把 README.md 改成中文", "zh"],
    ["今後コミットは英語で書いてください", "ja"],
    ["본 적이 없어", "ko"],
    ["сделай заголовок побольше", "ru"],
    ["нехай буде так, як є", "other"],
    ["no cambies el código todavía, solo explícame", "es"],
    ["não mude o código ainda, só explique", "pt"],
    ["non cambiare ancora il codice", "it"],
    ["ne change rien encore, explique seulement", "fr"],
    ["ändere noch nichts, erkläre es nur", "de"],
    ["nie zmieniaj jeszcze kodu, proszę", "other"],
    ["μην αλλάξεις τον κώδικα", "other"],
    ["لا تغير الكود", "other"],
  ];
  it.each(known)("the language of %j is %s", (sentence, tongue) => expect(tongueOf(sentence)).toBe(tongue));
});

describe("an explicit statement", () => {
  const plain: Record<string, readonly [rule: string, correction: string]> = {
    en: ["From now on write commit messages in English.", "no, the port is 8090, not 8080"],
    zh: ["以后提交信息都用英文写。", "不对，端口是8090，不是8080"],
    ja: ["今後コミットメッセージは英語で書いてください。", "違います、ポートは8080ではなく8090です"],
    ko: ["앞으로 커밋 메시지는 영어로 작성해 주세요.", "아니요, 포트는 8080이 아니라 8090입니다"],
    es: ["A partir de ahora escribe los commits en inglés.", "no, el puerto es 8090, no 8080"],
    pt: ["A partir de agora escreva os commits em inglês.", "não, a porta é 8090, não 8080"],
    it: ["D'ora in poi scrivi i commit in inglese.", "no, la porta è 8090, non 8080"],
    ru: ["С этого момента пиши коммиты на английском.", "нет, порт 8090, а не 8080"],
    fr: [
      "Désormais écris les commits en anglais.",
      "non, le port c'est 8090, pas 8080".replace("le port c'est", "c'est le port"),
    ],
    de: ["Ab jetzt schreib Commits auf Englisch.", "nein, der Port ist 8090, nicht 8080"],
  };
  it.each(Object.entries(plain))(
    "an explicit statement in %s is kept as a rule or a correction",
    (_, [rule, correction]) => {
      expect(findSignals(rule)).toMatchObject([{ type: "directive", text: rule, isExplicit: true }]);
      expect(findSignals(correction)).toMatchObject([{ type: "feedback", text: correction }]);
    },
  );

  it("a statement in an unknown language is ignored", () => {
    for (const text of [
      "Nigdy nie pushuj na main.",
      "Μην κάνεις ποτέ push στο main.",
      "لا تدفع إلى الفرع الرئيسي أبدا.",
    ])
      expect(findSignals(text)).toEqual([]);
  });
});

describe("a hundred messages with nothing to keep", () => {
  it.each(readdirSync(join(samples, "nothing-to-keep")).sort())("%s has no message that is kept", (name) => {
    const messages = readSample(`nothing-to-keep/${name}`);
    expect(messages.length).toBeGreaterThanOrEqual(100);
    expect(messages.filter((text) => findSignals(text).length > 0)).toEqual([]);
  });
});

describe("the weights", () => {
  const learned = readLearned();

  it("the weights hold no text: a sign is a name of ours, not a word of a message", () => {
    const signs = Object.keys(learned.kept);
    expect(signs.length).toBeGreaterThan(100);
    expect(signs.filter((sign) => /\s|^[wf]:/.test(sign))).toEqual([]);
  });

  it("the weights are few, and say where they come from", () => {
    const text = readFileSync(join(samples, "../../vectors/signals.json"), "utf8");
    expect(text.length).toBeLessThan(300_000);
    expect(JSON.parse(text).from).toMatchObject({ by: "npm run learn:signals", signsSeenInRepositories: 3 });
  });
});
