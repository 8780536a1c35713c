/** The names that the agent said last stand in the notes that replace history, by the place that showed them. */
import { describe, expect, it } from "vitest";
import { formatNames, type NamesInput } from "../../layers/4-full-compact/names.js";
import { PROJECT } from "../support/fake-host.js";
import { countLookedAt } from "../support/looked-at.js";
import { answer, call, lines, user } from "../support/messages.js";
import { fc } from "../support/property.js";
import { createSession } from "../support/session.js";
import { openWorld } from "../support/world.js";

const said = (text: string) => {
  const { info } = answer([]);
  return { info, parts: [{ type: "text", text }] };
};
const read = (path: string, output: string) =>
  answer([call("read", output, { state: { input: { filePath: `${PROJECT}/${path}` } } })]);
const run = (command: string, output: string) =>
  answer([call("bash", output, { state: { input: { command } } })]);
const format = (given: Partial<NamesInput>): string =>
  formatNames({ gone: [], staying: [], shown: [], project: PROJECT, maxCharacters: 6_000, ...given });

describe("the names that the agent said last", () => {
  const gone = [
    read("src/session.ts", "export function createSession() {}\nconst MAX_AGE = 3600;"),
    run("npm test", "src/session.test.ts(4,2): error TS2345: createSession, port 5433"),
    said("`createSession` fails with TS2345 on port 5433; `MAX_AGE` is fine. See docs/api/index.md."),
    user("Why does renewSession not work?"),
  ];

  it("stand by the file that showed them last, else by the command, the newest first", () => {
    expect(format({ gone }).split("\n")).toEqual([
      "## Names you used last, and where they were last seen",
      "- src/session.ts: createSession, MAX_AGE",
      "- `npm test`: TS2345, 5433",
      "- other files: docs/api/index.md",
    ]);
  });

  it("leave out what notes, restored files and the messages that stay show anyway", () => {
    const staying = [said("Now MAX_AGE.")];
    const shown = ["- edited docs/api/index.md", "createSession"];
    expect(format({ gone, staying, shown })).not.toMatch(/createSession|MAX_AGE|index\.md/);
    expect(format({ gone, staying, shown })).toContain("TS2345");
  });

  it("contain no secret, and nothing of a file that people keep secrets in", () => {
    const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    const text = format({
      gone: [
        run("cat .env", "DATABASE_LOGIN=hunter_two"),
        run(`curl -H "Authorization: Bearer ${token}" localhost`, `${token} DATABASE_LOGIN okay_then`),
        said(`The token is ${token}, the answer okay_then; the name DATABASE_LOGIN.`),
      ],
    });
    expect(text).toContain("okay_then");
    expect(text).not.toMatch(/ghp_|hunter_two/);
  });

  it("fit their room, and each was said before and not shown", () => {
    const word = fc.constantFrom(
      "createSession",
      "MAX_AGE",
      "src/a/b.ts",
      "5433",
      "fooBar",
      "the",
      "[Strata]",
    );
    const words = fc.array(word, { maxLength: 12 }).map((all) => all.join(" "));
    fc.assert(
      fc.property(fc.array(words), words, fc.nat(200), (texts, staying, maxCharacters) => {
        const gone = texts.map((text, n) => (n % 3 === 0 ? read(`src/${n}.ts`, text) : said(text)));
        const text = format({ gone, staying: [said(staying)], maxCharacters });
        expect(text.length).toBeLessThanOrEqual(maxCharacters);
        const names = text
          .split("\n")
          .slice(1)
          .flatMap((line) => line.replace(/^- .*?: /, "").split(", "));
        for (const name of names) {
          expect(JSON.stringify(gone)).toContain(name);
          expect(staying.split(" ")).not.toContain(name);
        }
      }),
    );
  });

  it("are looked for in a bounded part of a session, however long it is", () => {
    const many = (turns: number) =>
      Array.from({ length: turns }, (_, n) => [run("ls", lines(500)), said(`${lines(20)} word_${n}`)]).flat();
    const [some, all] = [many(1_000), many(5_000)];
    const looked = (gone: NamesInput["gone"]) => countLookedAt(() => format({ gone })).characters;
    expect(looked(all)).toBeLessThan(1.1 * looked(some));
  });
});

describe("a cut", () => {
  const options = { autoCompact: { threshold: 20_000 }, microCompact: { enabled: false } };

  it("a cut shows the names of what it replaces, also of what came before a summary by the host", async () => {
    const world = await openWorld({ options });
    const session = createSession(world.clock);
    session.user("Look at the session.");
    const input = { filePath: `${PROJECT}/src/renew.ts`, content: "renewSession(waitFirst);" };
    session.answer([call("write", "Wrote it.", { state: { input } })], { sent: 6_000 });
    const early = [...session.messages];
    session.answer([], { sent: 6_000, text: "A summary.", info: { summary: true, finish: "stop" } });
    for (let n = 0; n < 20; n++) {
      session.user(`Go on ${n}.`);
      session.answer([call("bash", lines(100))], { sent: 6_000 + n * 1_000 });
    }
    session.user("and now?");
    world.host.messages.set("ses_1", session.messages);
    const [first] = await world.request(session.messages.slice(early.length));
    expect(first?.parts[0]?.text).toContain("- src/renew.ts: renewSession, waitFirst");
  });
});
