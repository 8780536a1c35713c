/** `strata doctor`: looks at everything that can keep the plugin from working, then proves that it works. */
import { fileURLToPath } from "node:url";
import { createRunningProcesses } from "../host/running-processes.js";
import { createLocks } from "../lock/locks.js";
import { readFreeBytes } from "../seams/scratch.js";
import { VERSION } from "../version.js";
import { readWhole } from "./arguments.js";
import { exitCodes, type Run } from "./command.js";
import { checkConfiguration } from "./doctor/configuration.js";
import { fine, formatSections, isTrouble, type Section } from "./doctor/finding.js";
import { checkForeign } from "./doctor/foreign.js";
import { checkHost, isWithoutPort } from "./doctor/host.js";
import { checkFolders, checkMachine, checkRuntime } from "./doctor/machine.js";
import { findOpenCode, readVersion } from "./doctor/opencode.js";
import { prove } from "./doctor/proof.js";
import { checkSetAside } from "./doctor/set-aside.js";
import { describeSettings } from "./doctor/settings-in-force.js";
import { requireProject } from "./project.js";
import { readSettings } from "./settings.js";

/** Folder of this package, as it is built. */
const PACKAGE_FOLDER = fileURLToPath(new URL("../../..", import.meta.url));
/** It takes some seconds, and all of the doctor less than thirty. */
const SESSION_SECONDS = { least: 1, most: 600, usual: 24 };

export const run: Run = async (surroundings, { json, plugin, proof, within }) => {
  const withinSeconds = readWhole("--within", within, SESSION_SECONDS);
  const { clock, files, say, style } = surroundings;
  const project = await requireProject(surroundings);
  const settings = await readSettings(surroundings, project);
  const processes = createRunningProcesses();
  const { inspect } = createLocks({ clock, files, processes, instance: "doctor" });
  const binary = await findOpenCode(surroundings);
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
        ...(await checkSetAside(surroundings, project)),
        await checkForeign(surroundings, project, settings.config.trust),
        ...(await checkFolders(files, project, settings.config)),
      ],
    },
  ];
  if (proof !== false && binary !== undefined && version !== undefined && !isWithoutPort(version)) {
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
