/**
 * `strata doctor`: looks at everything that can keep the plugin from working, then has OpenCode load what the
 * configuration names and proves that it works.
 */
import { resolve } from "node:path";
import { createRunningProcesses } from "../../host/running-processes.js";
import { createLocks } from "../../lock/locks.js";
import { readFreeBytes } from "../../seams/scratch.js";
import { VERSION } from "../../version.js";
import { readWhole } from "../arguments.js";
import { exitCodes, type OptionValues, type Run, type Surroundings } from "../command.js";
import { checkConfiguration } from "../doctor/configuration.js";
import { type Configured, readOnDisk } from "../doctor/configured.js";
import { type Finding, fine, formatSections, isTrouble, note, type Section } from "../doctor/finding.js";
import { checkForeign } from "../doctor/foreign.js";
import { checkHost, isWithoutPort } from "../doctor/host.js";
import { checkLoaded, checkVersions } from "../doctor/loaded.js";
import { checkFolders, checkMachine, checkRuntime } from "../doctor/machine.js";
import { findOpenCode, readVersion } from "../doctor/opencode.js";
import { prove } from "../doctor/proof.js";
import { checkSetAside } from "../doctor/set-aside.js";
import { describeSettings } from "../doctor/settings-in-force.js";
import { createSteps } from "../doctor/steps.js";
import { requireProject } from "../project.js";
import { readSettings, type Settings } from "../settings.js";

const SESSION_SECONDS = { least: 1, most: 600, usual: 0 };

export const run: Run = async (surroundings, options) => {
  const { clock, files, say, style } = surroundings;
  const withinSeconds = readWhole("--within", options.within, SESSION_SECONDS) || undefined;
  const project = await requireProject(surroundings);
  const settings = await readSettings(surroundings, project);
  const binary = await findOpenCode(surroundings);
  const version = binary === undefined ? undefined : await readVersion(binary, clock);
  const inForce = await describeSettings(files, settings);
  const { configured, findings } = await checkConfiguration(surroundings, project, settings);
  const plugin = readPlugin(surroundings.folder, options) ?? configured;
  const canRun = binary !== undefined && version !== undefined && !isWithoutPort(version);
  const sections: Section[] = [
    { title: "Configuration", findings },
    { title: "Settings", findings: inForce.findings },
    {
      title: "Machine",
      findings: [
        checkRuntime(process.versions),
        fine(`opencode-strata ${VERSION}`),
        checkHost(binary, version),
        ...(await lookAtMachine(surroundings, project, settings)),
      ],
    },
    ...(plugin === undefined
      ? []
      : await examine(surroundings, {
          ...{ project, settings, plugin, withinSeconds },
          binary: options.proof !== false && canRun ? binary : undefined,
        })),
  ];
  const isWell = !sections.some((section) => section.findings.some(isTrouble));
  const report = { project, isWell, sections, settings: inForce.explained };
  say(options.json ? JSON.stringify(report, null, 2) : formatSections(sections, style));
  return isWell ? exitCodes.fine : exitCodes.problems;
};

/** A folder that the user names is proved in the place of what is configured. */
const readPlugin = (folder: string, { plugin }: OptionValues): Configured | undefined =>
  typeof plugin === "string" ? { spec: resolve(folder, plugin), place: plugin, isPackage: false } : undefined;

async function lookAtMachine(
  surroundings: Surroundings,
  project: string,
  { config }: Settings,
): Promise<Finding[]> {
  const { clock, files } = surroundings;
  const processes = createRunningProcesses();
  const { inspect } = createLocks({ clock, files, processes, instance: "doctor" });
  return [
    ...(await checkMachine({ clock, files, inspectLock: inspect, readFreeBytes }, project)),
    ...(await checkSetAside(surroundings, project)),
    await checkForeign(surroundings, project, config.trust),
    ...(await checkFolders(files, project, config)),
  ];
}

interface Examination {
  project: string;
  settings: Settings;
  plugin: Configured;
  /** The OpenCode that is to load it; without one it is only looked at. */
  binary: string | undefined;
  withinSeconds: number | undefined;
}

/** The plugin itself: what is on the disk of it, what OpenCode makes of it, and what it has made of it so far. */
async function examine(
  surroundings: Surroundings,
  { binary, plugin, project, settings, withinSeconds }: Examination,
): Promise<Section[]> {
  const onDisk = await readOnDisk(surroundings, plugin);
  const { flaw, folder, version } = onDisk;
  // What OpenCode has installed is loaded from there: that asks no registry, and writes nothing.
  const spec = onDisk.cached && folder ? { ...plugin, spec: folder, isPackage: false } : plugin;
  const proof =
    binary === undefined || flaw
      ? undefined
      : await prove({
          ...surroundings,
          ...{
            binary,
            config: settings.config,
            layers: settings.layers,
            plugin: spec,
            onStep: createSteps(surroundings),
          },
          ...(withinSeconds !== undefined && { withinSeconds }),
        });
  const findings = [
    ...(flaw ? [flaw] : []),
    ...(plugin.isPackage && !onDisk.cached
      ? [note(`${plugin.place}: OpenCode has not installed it yet, and does so when it is started`)]
      : []),
    ...checkVersions({ configured: plugin, onDisk, own: VERSION, proved: proof?.version }),
    await checkLoaded(surroundings, project, proof?.version ?? version),
  ];
  return [{ title: "Plugin", findings }, ...(proof ? [{ title: "Proof", findings: proof.findings }] : [])];
}
