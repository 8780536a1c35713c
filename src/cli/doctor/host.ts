import { compareVersions, findChanges, findTested } from "../../host/tested.js";
import { type Finding, fine, note, problem, warning } from "./finding.js";

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
  const tested = findTested(version);
  if (compareVersions(version, tested) < 0) return warning(what, `Strata needs ${tested} or later`);
  const changes = findChanges(version);
  return changes === undefined
    ? fine(what)
    : note(`${what}: ${changes}`, "the proof shows whether it works with this one");
}
