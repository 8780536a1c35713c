/** `strata doctor`: looks at everything that can keep the plugin from working, then proves that it works. */
import { fileURLToPath } from "node:url";
import { createRunningProcesses } from "../host/running-processes.js";
import { createLocks } from "../lock/locks.js";
import { readFreeBytes } from "../seams/scratch.js";
import { VERSION } from "../version.js";
import { readWhole } from "./arguments.js";
import { exitCodes, type Run } from "./command.js";
import { checkConfiguration } from "./doctor/configuration.js";
import {
  type Finding,
  fine,
  formatSections,
  isTrouble,
  problem,
  type Section,
  warning,
} from "./doctor/finding.js";
import { checkFolders, checkMachine, checkRuntime } from "./doctor/machine.js";
import { findOpenCode, readVersion } from "./doctor/opencode.js";
import { prove } from "./doctor/proof.js";
import { describeSettings } from "./doctor/settings-in-force.js";
import { requireProject } from "./project.js";
import { readSettings } from "./settings.js";

/** Folder of this package, as it is built. */
const PACKAGE_FOLDER = fileURLToPath(new URL("../../..", import.meta.url));
/** Every line about the host in this package was measured with it. */
const KNOWN_VERSION = "1.18.33";

/** It takes some seconds, and all of the doctor less than thirty. */
const SESSION_SECONDS = { least: 1, most: 600, usual: 24 };

export const run: Run = async (surroundings, { json, plugin, proof, within }) => {
  const withinSeconds = readWhole("--within", within, SESSION_SECONDS);
  const { clock, files, say, style } = surroundings;
  const project = await requireProject(surroundings);
  const settings = await readSettings(surroundings, project);
  const processes = createRunningProcesses();
  const { inspect } = createLocks({ clock, files, processes, instance: "doctor" });
  const binary = await findOpenCode(surroundings, project);
  const version = binary === undefined ? undefined : await readVersion(binary, clock);
  const inForce = await describeSettings(files, settings);
  const sections: Section[] = [
    { title: "Configuration", findings: await checkConfiguration(surroundings, project, settings) },
    { title: "Settings", findings: inForce.findings },
    {
      title: "Machine",
      findings: [
        checkRuntime(process.versions),
        fine(`opencode-strata ${VERSION}`),
        checkHost(binary, version),
        ...(await checkMachine({ clock, files, inspectLock: inspect, readFreeBytes }, project)),
        ...(await checkFolders(files, project, settings.config)),
      ],
    },
  ];
  if (proof !== false && binary !== undefined && version !== undefined) {
    surroundings.warn(style.dim("Playing a short session with OpenCode and a scripted model …"));
    const folder = typeof plugin === "string" ? plugin : PACKAGE_FOLDER;
    const { config } = settings;
    const findings = await prove({ ...surroundings, binary, plugin: folder, config, withinSeconds });
    sections.push({ title: "Proof", findings });
  }
  const isWell = !sections.some(({ findings }) => findings.some(isTrouble));
  const report = { project, isWell, sections, settings: inForce.explained };
  say(json ? JSON.stringify(report, null, 2) : formatSections(sections, style));
  return isWell ? exitCodes.fine : exitCodes.problems;
};

function checkHost(binary: string | undefined, version: string | undefined): Finding {
  if (binary === undefined)
    return problem(
      "OpenCode is not in the PATH, so nothing can be proved",
      "install it, or call the doctor where it is found: PATH=/its/folder:$PATH strata doctor",
    );
  if (version === undefined)
    return problem(`${binary} does not run`, "install OpenCode anew, with install scripts allowed");
  const what = `OpenCode ${version}, ${binary}`;
  if (version === KNOWN_VERSION) return fine(what);
  if (compareVersions(version, KNOWN_VERSION) < 0)
    return warning(what, `Strata needs ${KNOWN_VERSION} or later`);
  return fine(`${what}; Strata was measured with ${KNOWN_VERSION}, the proof below says whether it works`);
}

function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (const [index, part] of (first ?? []).entries()) {
    const difference = part - (second?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
