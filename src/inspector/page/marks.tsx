/** Chips for a memory's special properties. */
import type { MemoryRow } from "../answers.js";
import { Chip } from "./parts.js";

export function Marks({
  memory,
}: {
  memory: Pick<MemoryRow, "pinned" | "status" | "isForeign" | "sensitivity" | "isKeptOut" | "scope">;
}) {
  const marks: readonly (readonly [is: boolean, text: string, tone: string])[] = [
    [memory.pinned, "pinned", "plain"],
    [memory.status !== "active", memory.status, "plain"],
    [memory.isForeign, "not yours", "warn"],
    [memory.sensitivity === "private", "private", "plain"],
    [memory.isKeptOut, "not in git", "plain"],
    [memory.scope === "global", "every project", "plain"],
  ];
  return (
    <>
      {marks
        .filter(([is]) => is)
        .map(([, text, tone]) => (
          <Chip key={text} tone={tone}>
            {text}
          </Chip>
        ))}
    </>
  );
}
