/** Secrets that were said, run or shown in a session go into none of the files of its notes, and to nobody from there. */
import { expect, it } from "vitest";
import { formatMaterial } from "../../layers/3-session-memory/write-sections.js";
import type { Message } from "../../src/io/message.js";
import { HEADINGS } from "../../src/notes/page.js";
import { redactLines, redactSecrets } from "../../src/text/secrets/secrets.js";
import {
  ask,
  did,
  NOTES_FILE,
  NOTES_FOLDER,
  type NotesWorld,
  openNotes,
  ran,
  reply,
} from "../support/notes.js";
import { fc } from "../support/property.js";

/** Put together here, so that no scanner trips over the repository. */
const TOKEN = ["ghp", "_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d"].join("");
const PASSWORD = ["Tr0ub", "4dor&3xyz"].join("");
const ARMOUR = ["-----BEGIN ", "PRIVATE KEY-----"].join("");
const BODY = "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu";
const ARMOUR_END = ["-----END ", "PRIVATE KEY-----"].join("");
const NEEDLES = [TOKEN, TOKEN.slice(0, 8), PASSWORD, BODY];

const sections = (text: string) =>
  Object.fromEntries(HEADINGS.map((heading) => [heading, `- ${heading}: ${text}`]));

/** A session in which a secret stands wherever one can. */
function tellAll(at: number, secret: string): Message[] {
  return [
    ask(at, `Never push without the token ${secret}. Deploy it.\n\nkey:\n${secret}\nfor ${at}`),
    reply(
      at + 1,
      `I chose the token ${secret} because it is the only one that works.\nNext: push with ${secret}.`,
      ran(at + 1, `curl -H "X: ${secret}" http://x/${at}`, 22, `denied\nno access with ${secret}\n`),
      did(at + 2, "bash", { command: `deploy ${at}`, description: `with ${secret}` }),
      did(at + 3, "grep", { pattern: secret }, { status: "error", error: `bad pattern ${secret}` }),
      did(at + 4, "todowrite", { todos: [{ content: `revoke ${secret} ${at}`, status: "pending" }] }),
      did(
        at + 5,
        "task",
        { description: `try ${secret}` },
        { output: `<task_result>it is ${secret}</task_result>` },
      ),
      did(at + 6, "lease", { op: "claim", item: `#${at} ${secret}` }),
      did(at + 7, "write", { filePath: `notes/${secret}.md`, content: "x" }),
      did(at + 8, "skill", { name: `skill ${secret}` }),
    ),
  ];
}

const filesOf = ({ files }: NotesWorld): string[] =>
  [...files.contents].filter(([path]) => path.startsWith(NOTES_FOLDER)).map(([, bytes]) => String(bytes));
const findNeedles = (texts: readonly string[]): string[] =>
  NEEDLES.filter((needle) => texts.some((text) => text.toLowerCase().includes(needle.toLowerCase())));

/** What others than the notes' own files get to see of them. */
async function listShown(world: NotesWorld): Promise<string[]> {
  const shown = await world.notes.formatForModel("ses_1", { maxCharacters: 30_000 });
  const unfinished = await world.notes.findUnfinished(new Set(), 86_400_000);
  return [shown ?? "", unfinished?.text ?? "", JSON.stringify(world.notes.facts("ses_1") ?? "")];
}

it("no secret stands in the notes, beside them, in what a model is shown of them, or in a handoff", async () => {
  const world = openNotes();
  await world.tell(...tellAll(0, TOKEN));
  await world.notes.setSections("ses_1", sections(`the token is ${TOKEN}`));
  await world.tell(...tellAll(20, TOKEN), ask(40, `Use this:\n${ARMOUR}\n${BODY}\n${ARMOUR_END}\nand go on`));
  expect(filesOf(world)).toHaveLength(4);
  expect(findNeedles([...filesOf(world), ...(await listShown(world))])).toEqual([]);
  expect(findNeedles(await listShown(world.restart()))).toEqual([]);
  expect(world.page()).toContain("[removed: GitHub token]");
  expect(world.page()).toContain("Use this:");
  expect(world.page()).not.toContain("more characters");
  expect((await listShown(world))[1]).toContain(
    "Last request, not answered: Use this: [removed: private key] and go",
  );
});

it("a secret is taken out before a text is cut, of which half would look like none, also out of the material for a model", async () => {
  const world = openNotes();
  const near = (length: number): string => `${"w ".repeat(length / 2 - 6)}${TOKEN}`;
  await world.tell(
    ask(0, "Go."),
    reply(
      1,
      near(300),
      ran(1, near(1_000), 1, near(200)),
      did(2, "todowrite", { todos: [{ content: near(300) }] }),
    ),
  );
  expect(findNeedles([...filesOf(world), ...(await listShown(world))])).toEqual([]);
  const key = [ask(0, `It is\n${ARMOUR}\n${BODY}\n${ARMOUR_END}`), reply(1, `password: ${PASSWORD}`)];
  const cut = [ask(0, near(4_000)), reply(1, near(1_200), ran(1, near(200), 1, near(240)))];
  const material = formatMaterial([...tellAll(0, TOKEN), ...key, ...cut], { maxCharacters: 48_000 });
  expect(findNeedles([material])).toEqual([]);
});

it("a line with a secret that a person has written stays where it is, and goes no further", async () => {
  const world = openNotes();
  const mine = [`mine: password: ${PASSWORD}`, ARMOUR, BODY, ARMOUR_END, `## mine ${TOKEN}`, "kept"].join(
    "\n",
  );
  await world.tell(ask(0, "Deploy."), reply(1, "Done.", ran(1, "ls", 0)));
  world.edit((page) => `${page}\n${mine}\n`);
  for (let n = 1; n < 4; n++) {
    await world.tell(ask(10 * n, `Again ${n}.`), reply(10 * n + 1, "Done.", ran(10 * n + 1, `ls ${n}`, 0)));
    expect(world.page()).toContain("## mine");
    for (const line of mine.split("\n")) expect(world.page().split("\n")).toContain(line);
    const others = [...world.files.contents].filter(([path]) => path !== NOTES_FILE);
    expect(findNeedles(others.map(([, bytes]) => String(bytes)))).toEqual([]);
    expect(findNeedles(await listShown(world))).toEqual([]);
  }
  expect(world.files.text(`${NOTES_FOLDER}/ses_1.previous.md`)).toContain("\nkept\n");
});

it("lines lose what their text loses, and stay as many", () => {
  const line = fc.constantFrom(
    "a",
    "",
    ARMOUR,
    BODY,
    ARMOUR_END,
    TOKEN,
    `x ${TOKEN} y ${TOKEN}`,
    `pwd: ${PASSWORD}`,
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const redacted = redactLines(lines);
      expect(redacted).toHaveLength(lines.length);
      const left = (text: string): string => text.replace(/\[removed: [^\]]*\]|\n/g, "");
      expect(left(redacted.join("\n"))).toBe(left(redactSecrets(lines.join("\n")).text));
    }),
    { numRuns: 500 },
  );
});
