/** The OpenCode that was found, by its version. */
import { NO_PORT } from "../../host/screen.js";
import { type Finding, fine, problem, warning } from "./finding.js";

/** Every line about the host in this package was measured with it. */
const KNOWN_VERSION = "1.18.33";

/** Is it there, does it run, and is it one that Strata works in? */
export function checkHost(binary: string | undefined, version: string | undefined): Finding {
  if (binary === undefined)
    return problem(
      "OpenCode is not in the PATH, so nothing can be proved",
      "install it, or call the doctor where it is found: PATH=/its/folder:$PATH strata doctor",
    );
  if (version === undefined)
    return problem(`${binary} does not run`, "install OpenCode anew, with install scripts allowed");
  const what = `OpenCode ${version}, ${binary}`;
  if (version === KNOWN_VERSION) return fine(what);
  if (isWithoutPort(version))
    return problem(
      `${what}: ${NO_PORT}`,
      "until there is a port, use OpenCode 1.18 (npm install --global opencode-ai@1.18), or take Strata out: strata init --remove",
    );
  if (compareVersions(version, KNOWN_VERSION) < 0)
    return warning(what, `Strata needs ${KNOWN_VERSION} or later`);
  return fine(`${what}; Strata was measured with ${KNOWN_VERSION}, the proof below says whether it works`);
}

/** OpenCode 2 and later call nothing of the plugin that does any work: there is nothing to prove. */
export const isWithoutPort = (version: string): boolean => compareVersions(version, "2.0.0") >= 0;

function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (const [index, part] of (first ?? []).entries()) {
    const difference = part - (second?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
