/** The links of Markdown pages, followed as GitHub does. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export interface Link {
  /** The page that contains it. */
  page: string;
  /** The target as written: `docs/faq.md#memory`. */
  target: string;
  /** The target file, relative to the root of the repository. */
  file: string;
  /** Without the `#`; empty if there is none. */
  anchor: string;
}

/** A page's links to files of the repository and to headings, including pictures. */
export function readLinks(page: string): Link[] {
  const text = dropCode(readFileSync(page, "utf8"));
  const targets = [...text.matchAll(/\]\(([^)\s]+)[^)]*\)|\b(?:src|href)="([^"]+)"/g)];
  return targets
    .map(([, markdown, html]) => markdown ?? html ?? "")
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => {
      const [path = "", anchor = ""] = target.split("#");
      return { page, target, anchor, file: path === "" ? page : normalize(join(dirname(page), path)) };
    });
}

/** Whether the target file or folder exists, with the heading. */
export function isAlive({ anchor, file }: Link): boolean {
  if (!existsSync(file)) return false;
  return anchor === "" || listAnchors(readFileSync(file, "utf8")).has(anchor);
}

/** The anchors that GitHub gives to the headings of a page; the second of two equal ones ends in `-1`. */
export function listAnchors(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of dropFenced(markdown).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Only letters, digits, hyphens and underscores stay, and a hyphen for each space. */
function slugOf(heading: string): string {
  const shown = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
  return shown
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

const dropFenced = (markdown: string): string => markdown.replace(/^```.*?^```/gms, "");

const dropCode = (markdown: string): string => dropFenced(markdown).replace(/`[^`\n]*`/g, "");
