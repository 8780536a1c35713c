import type { BootstrapPlan } from "../../sources/bootstrap/plan-bootstrap.js";
import { type CliContext, type ExitCode, exitCodes } from "../command.js";
import type { BootstrapDone } from "./write-bootstrap.js";

/** Prints the result, or without `done` the plan, and returns the exit code. */
export type BootstrapReport = (
  plan: BootstrapPlan,
  notes: readonly string[],
  done: BootstrapDone | undefined,
) => ExitCode;

export function createBootstrapReport(
  { say, style, warn }: CliContext,
  { asJSON, isDry }: { asJSON: boolean; isDry: boolean },
): BootstrapReport {
  return (plan, notes, done) => {
    const refused = [...plan.refused, ...(done?.refused ?? [])];
    if (asJSON) say(JSON.stringify(toJSON(plan, notes, done), null, 2));
    else {
      if (isDry) for (const line of formatPlan(plan)) say(`Would ${line}`);
      say(formatCounts(plan, { added: done?.added ?? plan.add.length, refused: refused.length, isDry }));
      for (const { name, why } of refused) warn(`${style.yellow("Refused")}  ${name}: ${why}`);
      for (const { name, why } of plan.left) warn(`${style.yellow("Left as it is")}  ${name}: ${why}`);
      for (const note of notes) warn(`${style.yellow("Skipped")}  ${note}`);
      if (!isDry && (done?.added ?? 0) > 0)
        say(
          `They count as the repository's words, not as yours; strata trust accepts them, strata undo --run ${done?.run} takes them back.`,
        );
    }
    return refused.length > 0 || notes.length > 0 ? exitCodes.problems : exitCodes.fine;
  };
}

function formatPlan({ add, change }: BootstrapPlan): string[] {
  return [
    ...add.map(({ file, id, title }) => `add    ${id}  ${title}  (${file})`),
    ...change.map(({ after, before, file }) =>
      after.status === "archived" ? `drop   ${before.id}  (${file})` : `renew  ${before.id}  (${file})`,
    ),
  ];
}

/** "Added: 7 memories, 2 renewed, 1 dropped, 12 unchanged". */
function formatCounts(
  { change, kept, left }: BootstrapPlan,
  { added, isDry, refused }: { added: number; refused: number; isDry: boolean },
): string {
  const dropped = change.filter(({ after }) => after.status === "archived").length;
  const counts: [number, string][] = [
    [change.length - dropped, "renewed"],
    [dropped, "dropped"],
    [kept, "unchanged"],
    [left.length, "left as they are"],
    [refused, "refused"],
  ];
  const head = `${isDry ? "Would add" : "Added"}: ${added} ${added === 1 ? "memory" : "memories"}`;
  return [head, ...counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))].join(", ");
}

const toJSON = (plan: BootstrapPlan, notes: readonly string[], done: BootstrapDone | undefined): object => ({
  ...(done && { run: done.run }),
  add: plan.add.map(({ file, id, title }) => ({ id, title, file })),
  renew: plan.change
    .filter(({ after }) => after.status !== "archived")
    .map(({ before, file }) => ({ id: before.id, file })),
  drop: plan.change
    .filter(({ after }) => after.status === "archived")
    .map(({ before, file }) => ({ id: before.id, file })),
  unchanged: plan.kept,
  left: plan.left,
  refused: [...plan.refused, ...(done?.refused ?? [])],
  skipped: notes,
});
