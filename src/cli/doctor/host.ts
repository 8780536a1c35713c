import { WRITTEN_AGAINST } from "../../host/screen.js";
import { type Finding, fine, note, problem, warning } from "./finding.js";

/** The version that Strata is tested with. */
const KNOWN_VERSION = "1.18.33";

/** Is OpenCode there, does it run, and does Strata work in this version? */
export function checkHost(binary: string | undefined, version: string | undefined): Finding {
  if (binary === undefined)
    return problem(
      "OpenCode is not in the PATH, so the proof cannot run",
      "install it, or name its folder: PATH=/its/folder:$PATH strata doctor",
    );
  if (version === undefined)
    return problem(`${binary} does not run`, "reinstall OpenCode with install scripts allowed");
  const what = `OpenCode ${version}, ${binary}`;
  if (version === KNOWN_VERSION) return fine(what);
  if (isSecond(version))
    return note(
      `${what}: ${WRITTEN_AGAINST}`,
      "the proof shows what works here; please report it, with strata doctor --json",
    );
  if (compareVersions(version, KNOWN_VERSION) < 0)
    return warning(what, `Strata needs ${KNOWN_VERSION} or later`);
  return fine(
    `${what}; Strata is tested with ${KNOWN_VERSION}, and the proof shows whether it works with this one`,
  );
}

/** OpenCode 2 and later, which have another API. */
export const isSecond = (version: string): boolean => compareVersions(version, "2.0.0") >= 0;

function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (const [index, part] of (first ?? []).entries()) {
    const difference = part - (second?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
