/**
 * Patches as Codex writes them:
 *
 *     *** Begin Patch
 *     *** Update File: src/a.ts      or *** Add File: …
 *     @@
 *      a line that stays
 *     -a line that goes
 *     +a line that comes
 *     *** End Patch
 */

/** The lines a patch expects in the file: those that stay and those that go. */
export function expectedLines(patch: string): string[] {
  return patch
    .split("\n")
    .filter((line) => /^[ -]/.test(line))
    .map((line) => line.slice(1));
}

/** The file after the patch; `undefined` if a hunk does not fit. `text` is `undefined` for a file that does not exist. */
export function applyPatch(text: string | undefined, patch: string): string | undefined {
  const lines = patch.split("\n").filter((line) => !/^\*\*\* (Begin|End|Update|Move)/.test(line));
  if (lines.some((line) => line.startsWith("*** Add File"))) {
    const added = lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
    return `${added.join("\n")}\n`;
  }
  return splitHunks(lines).reduce<string | undefined>(
    (patched, hunk) => (patched === undefined ? undefined : applyHunk(patched, hunk)),
    text,
  );
}

function splitHunks(lines: readonly string[]): string[][] {
  const hunks: string[][] = [];
  for (const line of lines) {
    if (line.startsWith("@@")) hunks.push([]);
    else if (/^[ +-]/.test(line) || line === "") hunks.at(-1)?.push(line);
  }
  return hunks;
}

function applyHunk(text: string, hunk: readonly string[]): string | undefined {
  const side = (without: string): string =>
    hunk
      .filter((line) => line !== "" && !line.startsWith(without))
      .map((line) => line.slice(1))
      .join("\n");
  const before = side("+");
  return before !== "" && text.includes(before) ? text.replace(before, () => side("-")) : undefined;
}
