/** Facts of a README: its beginning and the commands that it shows. Pure. */
import { listFact, type Reader, type Row, splitLines, toTitle } from "../fact.js";

const SHELLS = new Set(["sh", "bash", "shell", "console", "shell-session", "zsh", "terminal"]);
const MOST_PARAGRAPH_CHARACTERS = 900;
const UNDERLINE = /^ {0,3}(={2,}|-{2,})\s*$/;

export const readReadme: Reader = (text, path) => {
  const { blocks, paragraph } = readPage(text);
  const commands = blocks.flatMap(({ heading, lines }, n): Row[] => [
    ...(heading === undefined || heading === blocks[n - 1]?.heading
      ? []
      : [{ name: heading, values: [], isHeading: true as const }]),
    ...lines.map((line) => ({ values: [line] })),
  ]);
  return [
    ...(paragraph === ""
      ? []
      : [
          {
            ...{ key: "about", type: "knowledge" as const, importance: 0.5 },
            title: toTitle(`How ${path} begins`),
            content: `${path} begins:\n${quoteLines(paragraph)}`,
          },
        ]),
    ...listFact({
      ...{ key: "commands", type: "procedure", importance: 0.5 },
      title: toTitle(`Commands in ${path}`),
      lead: `${path} shows these commands, by heading:`,
      rows: commands,
    }),
  ];
};

interface Page {
  /** The first paragraph of plain text. */
  paragraph: string;
  /** Blocks of shell commands. */
  blocks: { heading?: string; lines: string[] }[];
}

function readPage(text: string): Page {
  const blocks: Page["blocks"] = [];
  const paragraph: string[] = [];
  let isDone = false;
  let heading: string | undefined;
  let before = "";
  let fence: { mark: string; isShell: boolean; lines: string[] } | undefined;
  for (const line of splitLines(text)) {
    const [, mark, language = ""] = /^ {0,3}(`{3,}|~{3,})\s*([\w-]*)/.exec(line) ?? [];
    if (fence) {
      if (mark?.startsWith(fence.mark)) {
        if (fence.isShell && fence.lines.length > 0)
          blocks.push({ ...(heading !== undefined && { heading }), lines: fence.lines });
        fence = undefined;
      } else if (fence.isShell) fence.lines.push(...toCommand(line));
      continue;
    }
    if (mark !== undefined) {
      fence = { mark, isShell: SHELLS.has(language.toLowerCase()), lines: [] };
      isDone ||= paragraph.length > 0;
      continue;
    }
    if (UNDERLINE.test(line) && /\p{L}/u.test(before)) {
      heading = before.trim();
      // An underlined line is a heading, not the first paragraph.
      if (!isDone) paragraph.pop();
      before = "";
      continue;
    }
    before = line;
    const [, title] = /^ {0,3}#{1,6}\s(.*)$/.exec(line) ?? [];
    if (title !== undefined)
      heading = title
        .trim()
        .replace(/(^|\s)#+$/, "")
        .trimEnd();
    const isProse =
      title === undefined && /\p{L}/u.test(line) && !/^\s*([<|>!]|\[!?\[|\[[^\]]*\]:|[-*+=]{3,})/.test(line);
    if (isProse && !isDone) paragraph.push(line.replace(/\p{Cc}+/gu, " ").trim());
    else isDone ||= paragraph.length > 0;
  }
  return { blocks, paragraph: cutLines(paragraph) };
}

/** Without the prompt; `undefined` for comments and empty lines. */
function toCommand(line: string): string[] {
  const command = line.trim().replace(/^[$>]\s+/, "");
  return command === "" || command.startsWith("#") ? [] : [command];
}

/** Whole lines, at most `MOST_PARAGRAPH_CHARACTERS` of them. */
function cutLines(lines: readonly string[]): string {
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > MOST_PARAGRAPH_CHARACTERS && kept.length > 0) break;
    kept.push(line.slice(0, MOST_PARAGRAPH_CHARACTERS));
  }
  return kept.join("\n");
}

const quoteLines = (text: string): string => text.replace(/^/gm, "> ");
