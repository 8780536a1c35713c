/** Composes a memory's text: its content, then what, why and learned as labelled paragraphs. Pure. */

export interface Parts {
  content?: string | undefined;
  what?: string | undefined;
  why?: string | undefined;
  learned?: string | undefined;
}

const LABELS = { what: "What", why: "Why", learned: "Learned" } as const;
type Label = keyof typeof LABELS;
const NAMES = Object.keys(LABELS) as Label[];

export function composeText({ content = "", ...labelled }: Parts): string {
  const paragraphs = NAMES.flatMap((name) => {
    const text = labelled[name];
    return text === undefined ? [] : [`${LABELS[name]}: ${text}`];
  });
  return [content.trim(), ...paragraphs].filter((part) => part !== "").join("\n\n");
}

/** Replaces the given parts of a text and keeps the others. */
export function replaceParts(text: string, given: Parts): string {
  const parts = splitText(text);
  return composeText({
    content: given.content ?? parts.content,
    what: given.what ?? parts.what,
    why: given.why ?? parts.why,
    learned: given.learned ?? parts.learned,
  });
}

/** Recognises labelled paragraphs only at the end. */
function splitText(text: string): Parts {
  const paragraphs = text.split(/\n{2,}/);
  const parts: Parts = {};
  for (let last = paragraphs.at(-1); last !== undefined; last = paragraphs.at(-1)) {
    const name = NAMES.find((one) => last.startsWith(`${LABELS[one]}: `) && parts[one] === undefined);
    if (name === undefined) break;
    parts[name] = last.slice(LABELS[name].length + 2);
    paragraphs.pop();
  }
  return { ...parts, content: paragraphs.join("\n\n") };
}
