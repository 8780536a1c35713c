/** Collects the licences of all bundled packages, as those licences require. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const RULE = `\n${"-".repeat(80)}\n`;

/** Throws for a package without a licence. */
export function formatLicences(root, modules) {
  const folders = new Set(
    modules.flatMap((id) => id.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
  );
  const packages = [...folders].map(describe).sort((a, b) => (a.title < b.title ? -1 : 1));
  const { about } = JSON.parse(readFileSync(join(root, "vectors/words.json"), "utf8"));
  return [
    "What is inside opencode-strata, and on whose terms.\n",
    ...packages.map(({ text, title }) => `${title}\n\n${text}`),
    `vectors/words.json\n\n${about}\n`,
  ].join(RULE);
}

function describe(folder) {
  const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e(\.|$)/i.test(one));
  if (!license || !file)
    throw new Error(`Expected a licence in ${folder}, found none. Do not bundle the package.`);
  return { title: `${name} ${version} (${license})`, text: readFileSync(join(folder, file), "utf8").trim() };
}
