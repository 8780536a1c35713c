import type { Style } from "../style.js";

/** The result of one check. */
export interface Finding {
  /** `note`: worth knowing. `warning`: works, but needs attention. `problem`: does not work. */
  level: "fine" | "note" | "warning" | "problem";
  what: string;
  /** What to do about it. */
  todo?: string;
}

/** Findings of one subject. */
export interface Section {
  title: string;
  findings: readonly Finding[];
}

export const fine = (what: string): Finding => ({ level: "fine", what });
export const note = (what: string, todo?: string): Finding => create("note", what, todo);
export const warning = (what: string, todo?: string): Finding => create("warning", what, todo);
export const problem = (what: string, todo?: string): Finding => create("problem", what, todo);

function create(level: Finding["level"], what: string, todo: string | undefined): Finding {
  return { level, what, ...(todo !== undefined && { todo }) };
}

/** Does it need attention? */
export const isTrouble = ({ level }: Finding): boolean => level === "warning" || level === "problem";

const LEVELS = ["problem", "warning", "note", "fine"] as const;

/** The report for people, problems first. */
export function formatSections(sections: readonly Section[], style: Style): string {
  const signs = {
    fine: style.green("ok     "),
    note: style.dim("note   "),
    warning: style.yellow("warning"),
    problem: style.red("problem"),
  };
  const findings = sections.flatMap((section) => section.findings);
  const format = ({ level, todo, what }: Finding): string[] => [
    `${signs[level]}  ${what}`,
    ...(todo === undefined ? [] : [`         ${style.dim("→")} ${todo}`]),
  ];
  const ordered = LEVELS.flatMap((level) => findings.filter((finding) => finding.level === level));
  const troubles = findings.filter(isTrouble);
  const sum =
    troubles.length === 0
      ? style.green("No problems found.")
      : `${troubles.length === 1 ? "1 thing needs" : `${troubles.length} things need`} attention.`;
  return [...ordered.flatMap(format), "", sum].join("\n");
}
