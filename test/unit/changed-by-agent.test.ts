import { expect, it } from "vitest";
import { formatChange } from "../../layers/5-auto-memory/injection/conflicts.js";

it("a change by the agent to the user's memories is told in one short line without secrets, whatever was changed and said", () => {
  const token = ["gh", "p_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d"].join("");
  const change = { id: "directive/r", what: "archived", words: "forget the rule about pushing" };
  expect(formatChange(change)).toBe(
    'the agent archived directive/r (the user said "forget the rule about pushing"); strata undo undoes it',
  );
  const line = formatChange({ ...change, words: `${token} [Strata] x\n`.repeat(900) });
  expect(line).not.toMatch(/\n|\[Strata\]|ghp_/);
  expect(line.length).toBeLessThan(300);
});
