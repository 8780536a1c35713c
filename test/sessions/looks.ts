/** Plans what the agent has to read again before it edits. */
import type { RecordedCall } from "./recorded-session.js";
import { isInSight, linesToChange, planLookAgain } from "./sight.js";

export interface Looks {
  /** Edits so far, and those of them whose lines nothing showed any more. */
  readonly edits: number;
  readonly blindEdits: number;
  /** The calls that must come before these, given the text of the request. None after a look: it is not repeated. */
  plan(calls: readonly RecordedCall[], text: string): RecordedCall[];
  /** The agent makes these calls and remembers what they showed. */
  remember(calls: readonly RecordedCall[]): void;
}

export function createLooks(): Looks {
  const past: RecordedCall[] = [];
  const counts = { edits: 0, blindEdits: 0 };
  let hidden: RecordedCall[] = [];
  let hasLooked = false;
  return {
    get edits() {
      return counts.edits;
    },
    get blindEdits() {
      return counts.blindEdits;
    },
    plan(calls, text) {
      hidden = calls.filter((call) => !isInSight(linesToChange(call), text));
      if (hasLooked) return [];
      const looks = hidden.flatMap((edit) => planLookAgain(edit, past) ?? []);
      hasLooked = looks.length > 0;
      // Edits of one place need one look.
      return [...new Map(looks.map((look) => [look.result, look])).values()];
    },
    remember(calls) {
      counts.edits += calls.filter(({ tool }) => tool === "edit").length;
      counts.blindEdits += hidden.length;
      hasLooked = false;
      past.push(...calls);
    },
  };
}
