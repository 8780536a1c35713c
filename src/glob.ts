/**
 * The regular expression of a glob with `/`: `*` and `?` within a name, `**` for any folders, `{a,b}`, `[ab]`. A text
 * that is no glob matches itself. Pure.
 */
export function globToPattern(glob: string): RegExp {
  return new RegExp(`^${translateAll(glob)}$`, "s");
}

function translateAll(glob: string): string {
  const tokens = glob.matchAll(/\*\*\/|\*\*|\*|\?|\{[^{}]*\}|\[[^\]/]+\]|[\s\S]/g);
  return [...tokens].map(([token]) => translate(token)).join("");
}

function translate(token: string): string {
  if (token === "**/") return "(?:[^/]+/)*";
  if (token === "**") return ".*";
  if (token === "*") return "[^/]*";
  if (token === "?") return "[^/]";
  if (token.startsWith("{") && token.length > 1)
    return `(?:${token.slice(1, -1).split(",").map(translateAll).join("|")})`;
  if (token.startsWith("[") && token.length > 2)
    return `[${token
      .slice(1, -1)
      .replace(/[\\\]]/g, "\\$&")
      .replace(/^!/, "^")}]`;
  return escapeText(token);
}

const escapeText = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
