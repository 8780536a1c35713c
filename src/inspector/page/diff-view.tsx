/** The diff of a memory's text: removed text struck through, added text underlined. */
import { useMemo } from "preact/hooks";
import type { Change } from "../answers.js";
import { compareTexts, toReadable } from "./diff.js";

export function DiffView({ after, before }: { before?: string | undefined; after?: string | undefined }) {
  const pieces = useMemo(() => {
    const [was, is] = [toReadable(before ?? ""), toReadable(after ?? "")];
    // A new text has nothing to compare with, so nothing is marked.
    return compareTexts(before === undefined ? is : was, is);
  }, [before, after]);
  if (pieces.length === 0) return <p class="empty">This text is not in the ledger.</p>;
  return (
    <pre class="diff">
      {pieces.map(({ kind, text }, at) => {
        if (kind === "removed") return <del key={at}>{text}</del>;
        if (kind === "added") return <ins key={at}>{text}</ins>;
        return <span key={at}>{text}</span>;
      })}
    </pre>
  );
}

/** Describes a change in a few words. */
export function nameChange({ after, before, by, movedTo, operation }: Change): string {
  const who = by === "person" && !operation.includes("by hand") ? " by hand" : "";
  if (movedTo !== undefined)
    return `${operation}${movedTo.includes("archive/") ? ", moved to the archive" : ", moved back"}${who}`;
  if (before === undefined && after !== undefined) return `${operation}, new${who}`;
  if (after === undefined) return `${operation}, removed${who}`;
  return `${operation}${who}`;
}
