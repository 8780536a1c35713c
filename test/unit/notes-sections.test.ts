import { describe, expect, it } from "vitest";
import { HEADINGS, parseSections } from "../../src/notes/page.js";
import type { Sections } from "../../src/notes/stored.js";

const body = (heading: string): string => `- about ${heading}\n\n### detail\n- more`;
const answer = HEADINGS.map((heading) => `## ${heading}\n${body(heading)}`).join("\n\n");
const problemOf = (text: string): string => {
  const parsed = parseSections(text);
  return "problem" in parsed ? parsed.problem : "none";
};

describe("a model's answer", () => {
  it("a model's answer with all six sections is taken, also in a fence and with other line ends", () => {
    const sections = Object.fromEntries(HEADINGS.map((heading) => [heading, body(heading)])) as Sections;
    for (const text of [answer, `\n\n${answer}\n`, `\`\`\`markdown\n${answer}\n\`\`\``])
      expect(parseSections(text)).toEqual({ sections });
    expect(parseSections(answer.replaceAll("\n", "\r\n"))).toEqual({ sections });
  });

  it("a model's answer in which a heading is missing, doubled, out of order or not ours is refused with what came", () => {
    expect(problemOf("no headings")).toMatch(/^Expected the six .* came none\.$/);
    expect(problemOf(answer.replace("## Workflow", "## Work"))).toContain('"Work"');
    expect(problemOf(`${answer}\n## Learnings\nagain`)).toContain('"Learnings", "Learnings"');
    expect(problemOf(answer.replace("Current State", "X").replace("Learnings", "Current State"))).toContain(
      'came "X"',
    );
    expect(problemOf(answer.replace("## Workflow", "### Workflow"))).not.toBe("none");
  });

  it("a model's answer with something before the first heading is refused with what it is", () => {
    expect(problemOf(`Here are the notes:\n${answer}`)).toContain('came "Here are the notes:"');
  });

  it("a model's answer with nothing under a heading is refused, with None. it is taken", () => {
    const empty = answer.replace(body("Workflow"), " ");
    expect(problemOf(empty)).toBe(
      'Expected at least a line under "Workflow", if only "None."; came nothing.',
    );
    expect(problemOf(answer.replace(body("Workflow"), "None."))).toBe("none");
  });

  it("a model's answer that is too long in one section or in all is refused with both numbers", () => {
    expect(problemOf(answer.replace(body("Workflow"), "x".repeat(2_401)))).toContain(
      'at most 2,400 characters under "Workflow"; came 2,401',
    );
    const long = HEADINGS.map((heading) => `## ${heading}\n${"x".repeat(1_600)}`).join("\n");
    expect(problemOf(long)).toContain("at most 9,000 characters in all; came 9,600");
  });
});
