/** What the notes carry over a cut: the state, what was changed, what is open, in order, without the noise of looking. */
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/io/message.js";
import { shortenPaths } from "../../src/notes/page-lines.js";
import { parseStored } from "../../src/notes/stored.js";
import { isTelling } from "../../src/notes/wording.js";
import { PROJECT } from "../support/fake-host.js";
import { ask, did, edited, openNotes, pageOf, ran, reply, STORED_FILE, section } from "../support/notes.js";

async function modelsOf(maxCharacters: number, ...messages: Message[]): Promise<string> {
  const world = openNotes();
  await world.tell(...messages);
  return (await world.notes.formatForModel("ses_1", { maxCharacters })) ?? "";
}

describe("the state in the notes", () => {
  it("the state in the notes is the last answer that says something, not a thank-you or a question after it", async () => {
    const found = "The pool listens on 5433, the database on 5432.";
    for (const last of ["Understood.", "You're welcome!", "Shall I change it?", "不客气。", "Done!"]) {
      const state = section(
        await pageOf(ask(0, "Why?"), reply(1, found), ask(2, "Thanks."), reply(3, last)),
        "Current State",
      );
      expect(state, last).toBe(`- Last answer (to request 1): ${found}`);
    }
  });

  it("the state in the notes is what there is if no answer says anything", async () => {
    expect(section(await pageOf(ask(0, "Hi."), reply(1, "Understood.")), "Current State")).toBe(
      "- Last answer (to request 1): Understood.",
    );
  });

  it("the state in the notes has what was changed for the newest request, and earlier requests keep theirs", async () => {
    const page = await pageOf(
      ask(0, "Fix the port."),
      reply(2, "Fixed.", edited(1, "/project/src/config.ts", "port: 5433,\nhost: a", "port: 5432,\nhost: a")),
      ask(3, "And the host."),
      reply(5, "The host is b now.", edited(4, "src/config.ts", "host: a", "host: b")),
    );
    expect(section(page, "Current State")).toContain(
      '- Changed for request 2: "config.ts"; last "config.ts: a → b"',
    );
    expect(section(page, "Files and Functions")).toBe('- `src/config.ts` (edited: "5433 → 5432", "a → b")');
    expect(section(page, "Workflow")).toContain('- Changed for request 1: "config.ts"');
  });

  it("the state in the notes has the step that was announced, and todos", async () => {
    const said = `The lexer works. ${"It has many parts. ".repeat(80)}\nNext: port the printer.`;
    const todos = [{ content: "write docs", status: "pending" }];
    const page = await pageOf(ask(0, "Port it."), reply(1, said, did(0, "todowrite", { todos })));
    expect(section(page, "Current State")).toContain("- Open: Next: port the printer.\n- [ ] write docs");
  });

  it.each([
    ["Fixed.", true],
    ["The parser works.", true],
    ["All 229 tests pass.", true],
    ["Thanks, noted.", false],
    ["Ok.", false],
    ["Which port do you want?", false],
    ["Great! Let me know if you need anything else.", false],
    ["明白", false],
    ["Let me now write the plan to `a.md`.", false],
    ["Now the port is 5432.", true],
  ])("an answer tells something or not: %j", (text, tells) => {
    expect(isTelling(text)).toBe(tells);
  });
});

describe("the work in the notes", () => {
  it("the work in the notes stands in its order, what was found between two calls included", async () => {
    const step = (minute: number, text: string, ...calls: Parameters<typeof reply>[2][]): Message => {
      const { info, parts } = reply(minute, text, ...calls);
      return { info: { ...info, finish: "tool-calls" }, parts };
    };
    const page = await pageOf(
      ask(0, "Fix it."),
      step(1, "Let me look at `src/a.ts`.", ran(1, "npm test", 1, "1 failed")),
      step(2, "The error is in `readPort`: it returns text.", ran(2, "npm run build", 0)),
      reply(4, "It is fixed.", ran(3, "git commit -m x", 0)),
      ask(5, "Push it."),
      reply(7, "It is pushed.", ran(6, "git push", 0)),
    );
    expect(section(page, "Workflow").split("\n")).toEqual([
      "- `npm test` → exit 1",
      "- Agent: The error is in `readPort`: it returns text.",
      "- `npm run build` → exit 0",
      "- `git commit -m x` → exit 0",
      "- Request 1 → It is fixed.",
      "- `git push` → exit 0",
    ]);
  });

  it("the work in the notes is in the order of the last run, and a person's line moves with the one above it", async () => {
    const world = openNotes();
    await world.tell(ask(0, "Go."), reply(2, "a", ran(1, "npm test", 1), ran(2, "npm run lint", 0)));
    world.edit((page) => page.replace("- `npm test` → exit 1\n", "- `npm test` → exit 1\n  (slow)\n"));
    await world.tell(reply(4, "The tests pass.", ran(3, "npm test", 0)));
    const workflow = "- `npm run lint` → exit 0\n- `npm test` → exit 0\n  (slow)";
    expect(section(world.page(), "Workflow")).toBe(workflow);
    const text = (await world.notes.formatForModel("ses_1", { maxCharacters: 9_000 })) ?? "";
    expect(section(text, "Workflow")).toBe(workflow);
  });

  it("the work in the notes counts what only looked, and names files that were only read in one line", async () => {
    const page = await pageOf(
      ask(0, "Look."),
      reply(
        9,
        "It is in the lexer.",
        did(1, "read", { filePath: "src/a.ts" }, { output: "export function lex() {}" }),
        did(2, "read", { filePath: "src/b.ts" }),
        did(3, "grep", { pattern: "x" }),
        ran(4, "ls -la && git status | head -5", 0),
        ran(5, "cd /project && cat docs/plan.txt", 0),
        ran(6, "sleep 30; gh run list", 0),
        ran(7, "npm test", 0),
      ),
    );
    expect(section(page, "Workflow").split("\n")).toEqual([
      "- `npm test` → exit 0",
      "- Calls that only looked: 3 bash, 2 read, 1 grep",
    ]);
    expect(section(page, "Files and Functions")).toBe('- Only read: "docs/plan.txt src/{b.ts, a.ts (lex)}"');
  });

  it("the work in the notes does not name a file again whose line a person has removed", async () => {
    const world = openNotes();
    await world.tell(ask(0, "Go."), reply(2, "Both are set.", edited(1, "src/a.ts", "1", "2")));
    world.edit((page) => page.replace(/^- `src\/a\.ts`.*\n/m, ""));
    await world.tell(ask(3, "On."), reply(5, "It is set again.", edited(4, "src/a.ts", "2", "3")));
    await world.tell(ask(6, "And b."), reply(8, "b is set.", edited(7, "src/b.ts", "2", "3")));
    expect(world.page()).not.toContain("a.ts");
    expect(section(world.page(), "Files and Functions")).toBe('- `src/b.ts` (edited: "2 → 3")');
  });

  it("the work in the notes leaves out our own files, the host's and packages'", async () => {
    const own = [
      ".opencode/tool-results/a.txt",
      ".opencode/session-memory/s.md",
      ".opencode/memory/MEMORY.md",
    ];
    const reads = [...own, "node_modules/x/index.js", "/home/me/.local/share/opencode/tool-output/t_1"];
    const page = await pageOf(
      ask(0, "Look."),
      reply(2, "I see.", ...reads.map((filePath, n) => did(n, "read", { filePath }))),
      reply(9, "It is there.", did(8, "edit", { filePath: "node_modules/x/index.js", newString: "y" })),
    );
    expect(section(page, "Files and Functions")).toBe("");
    expect(section(page, "Current State")).toBe("- Last answer (to request 1): It is there.");
  });

  it("the work in the notes has paths relative to the project", async () => {
    const page = await pageOf(
      ask(0, "Go."),
      reply(
        3,
        `I changed ${PROJECT}/src/a.ts.`,
        ran(1, `cd ${PROJECT} && npm test -- ${PROJECT}/src/a.ts`, 1, `error in ${PROJECT}/src/a.ts`),
      ),
    );
    expect(page).not.toContain(`${PROJECT}/`);
    expect(page).toContain('- `npm test -- src/a.ts` → exit 1: "error in src/a.ts"');
  });

  it("the work in the notes names a folder beside the project as such, although it begins with its name", () => {
    const project = "/home/me/code/shop";
    const said = (path: string): string => shortenPaths(`see ${path}`, project);
    expect(said(`${project}/src/a.ts`)).toBe("see src/a.ts");
    expect(said(project)).toBe("see .");
    expect(said(`${project}.worktrees/fix/src/a.ts`)).toBe("see ../shop.worktrees/fix/src/a.ts");
    expect(shortenPaths("see /home/other/a.ts", "/home/me")).toBe("see /home/other/a.ts");
  });

  it("the errors in the notes are one line where they are equal, and a search without a hit is none", async () => {
    const page = await pageOf(
      ask(0, "Go."),
      reply(
        9,
        "It fails.",
        ...[1, 2, 3].map((n) => ran(n, `npm run t${n}`, 1, "error: no database")),
        ran(4, `grep -rn "nothing ${"at all ".repeat(30)}" src`, 1),
      ),
    );
    expect(section(page, "Errors and Corrections")).toBe(
      '- `npm run t1` → exit 1: "error: no database" (and 2 more with the same)',
    );
  });
});

describe("the size of the notes", () => {
  const turn = (n: number): Message[] => [
    ask(20 * n, `Task ${n}: make part ${n} faster.`),
    reply(
      20 * n + 19,
      `Part ${n} is faster: ${"it reads less and caches more, ".repeat(20)}`,
      ...Array.from({ length: 6 }, (_, k) =>
        edited(
          20 * n + k,
          `src/part${n}/file${k}.ts`,
          `readAll${n}(${k})`,
          `readPart${n}(${k}, maxBytes${n})`,
        ),
      ),
      ...Array.from({ length: 4 }, (_, k) =>
        ran(20 * n + 10 + k, `npm run step${n}-${k}`, k, `error: ${n} ${k}`),
      ),
      ...Array.from({ length: 4 }, (_, k) =>
        did(20 * n + 15, "read", { filePath: `lib/deep${n}/file${k}.ts` }),
      ),
    ),
  ];

  it("the size of the notes for a model is at most 8 KB after forty turns, requests not counted", async () => {
    const text = await modelsOf(32_000, ...Array.from({ length: 40 }, (_, n) => turn(n)).flat());
    const requests = section(text, "Task Specification");
    expect(requests.match(/make part \d+ faster\./g)).toHaveLength(40);
    expect(Buffer.byteLength(text) - Buffer.byteLength(requests)).toBeLessThanOrEqual(8_192);
    for (const part of ["part39/file5.ts", "npm run step39-3", "Part 39 is faster", "readPart39"])
      expect(text).toContain(part);
  });

  it("the size of the notes for a model leaves a long request its beginning, its rules and what the rest names", async () => {
    const plan = `Build the shop.\n${"Many words on it. ".repeat(80)}\nNever touch \`legacy/\`.\nSee src/cart/total.ts and sumOrders.\n${"More. ".repeat(900)}`;
    const text = await modelsOf(32_000, ask(0, plan), reply(1, "It is built."), ask(2, "Never rename it."));
    const requests = section(text, "Task Specification");
    expect(requests).toContain("  > Build the shop.");
    expect(requests).toMatch(/\(\d,\d{3} more characters\) with .*src\/cart\/total\.ts.*sumOrders/);
    expect(requests).toContain("… Never touch `legacy/`.");
    expect(Buffer.byteLength(requests)).toBeLessThan(2_500);
    expect(text.match(/Never touch/g)).toHaveLength(1);
    expect(section(text, "Learnings")).toBe("- Request 2: Never rename it.");
  });
});

it("a stored file without what this version adds is read, and gains it", async () => {
  const world = openNotes();
  await world.tell(ask(0, "Go."), reply(2, "It is set.", edited(1, "a.ts", "1", "2")));
  const stored = JSON.parse(world.files.text(STORED_FILE) ?? "") as { ledger: Record<string, unknown> };
  for (const name of ["changes", "findings", "looked"]) delete stored.ledger[name];
  expect(parseStored(JSON.stringify(stored))?.ledger).toMatchObject({
    changes: [],
    findings: [],
    looked: [],
  });
  world.files.contents.set(STORED_FILE, Buffer.from(JSON.stringify(stored)));
  const next = world.restart();
  await next.tell(ask(5, "More."), reply(7, "It is 3.", edited(6, "a.ts", "2", "3")));
  expect(section(next.page(), "Files and Functions")).toBe('- `a.ts` (edited: "2 → 3")');
  expect(next.logged).toEqual([]);
});
