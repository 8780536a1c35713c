/**
 * `strata doctor`: checks everything that can keep the plugin from working, then has OpenCode load what the configuration
 * names, and plays a session to prove that it works.
 */
import { resolve } from "node:path";
import { isSecond } from "../../base/tested.js";
import { VERSION } from "../../base/version.js";
import { readFreeBytes } from "../../io/node-files.js";
import { exitCodes, type OptionValues, type Run, readWhole } from "../../operations/command.js";
import {
  checkFolders,
  checkMachine,
  checkRuntime,
  type Finding,
  fine,
  formatSections,
  isTrouble,
  note,
  type Section,
} from "../../operations/doctor/machine.js";
import { checkHost, findOpenCode, readVersion } from "../../operations/doctor/opencode.js";
import { openLocks, openProject, type Project } from "../../operations/project.js";
import { checkConfiguration, createSteps } from "../doctor/configuration.js";
import {
  type Configured,
  checkLoaded,
  checkScreen,
  checkScreen2,
  checkVersions,
  readOnDisk,
} from "../doctor/installed.js";
import { prove } from "../doctor/proof.js";
import { checkForeign, checkSetAside, describeSettings } from "../doctor/settings-in-force.js";

/** It takes some ten seconds on an idle machine with two cores. */
const SESSION_SECONDS = { least: 1, most: 900, usual: 300 };

export const run: Run = async (cli, options) => {
  const { clock, files, say, style } = cli;
  const withinSeconds = readWhole("--within", options.within, SESSION_SECONDS);
  const project = await openProject(cli);
  const binary = await findOpenCode(cli);
  const version = binary === undefined ? undefined : await readVersion(binary, clock);
  const isTwo = version !== undefined && isSecond(version);
  const { explained: settings, findings: inForce } = await describeSettings(files, await project.settings());
  const { configured, findings } = await checkConfiguration(project, isTwo);
  const plugin = readPlugin(cli.folder, options) ?? configured;
  const machine = [
    checkRuntime(process.versions),
    fine(`this command line is opencode-strata ${VERSION}`),
    checkHost(binary, version),
    ...(await examineMachine(project)),
  ];
  const isProved = options.proof !== false && !options.report && version !== undefined;
  const used = isProved ? binary : undefined;
  const sections: Section[] = [
    { title: "Configuration", findings },
    { title: "Settings", findings: inForce },
    { title: "Machine", findings: machine },
    ...(plugin ? await examinePlugin(project, { plugin, withinSeconds, binary: used, isTwo }) : []),
  ];
  const isWell = !sections.some((section) => section.findings.some(isTrouble));
  if (options.report) {
    const { formatReport } = await import("../doctor/report.js");
    say(await formatReport(project, { sections, settings, version }));
  } else {
    const report = { project: project.root, isWell, sections, settings };
    say(options.json ? JSON.stringify(report, null, 2) : formatSections(sections, style));
  }
  return isWell ? exitCodes.fine : exitCodes.problems;
};

/** The folder named with `--plugin`. */
const readPlugin = (folder: string, { plugin }: OptionValues): Configured | undefined =>
  typeof plugin === "string" ? { spec: resolve(folder, plugin), place: plugin, isPackage: false } : undefined;

async function examineMachine(project: Project): Promise<Finding[]> {
  const { cli, folders } = project;
  const { clock, files } = cli;
  const { config } = await project.settings();
  const { inspect } = openLocks(project, "doctor");
  return [
    ...(await checkMachine({ clock, files, inspectLock: inspect, readFreeBytes }, folders)),
    ...(await checkSetAside(project)),
    await checkForeign(project),
    ...(await checkFolders(files, folders, config)),
  ];
}

interface Examination {
  plugin: Configured;
  /** The OpenCode for the proof; absent if there is to be none. */
  binary: string | undefined;
  /** It is OpenCode 2. */
  isTwo: boolean;
  withinSeconds: number;
}

/** The plugin on disk, in OpenCode, and in this project so far. */
async function examinePlugin(
  project: Project,
  { binary, isTwo, plugin, withinSeconds }: Examination,
): Promise<Section[]> {
  const { cli, folders } = project;
  const { config, layers } = await project.settings();
  const onDisk = await readOnDisk(cli, plugin, isTwo);
  const { cached, fault, folder, version } = onDisk;
  // What OpenCode has installed is loaded from there, which asks no registry and writes nothing.
  const installed = cached && folder ? { ...plugin, spec: folder, isPackage: false } : plugin;
  const proof =
    binary === undefined || fault
      ? undefined
      : await prove({
          ...cli,
          ...{ binary, config, layers, isSecond: isTwo, plugin: installed, onStep: createSteps(cli) },
          withinSeconds,
        });
  const isComing = plugin.isPackage && !cached && !fault;
  const findings = [
    ...(fault ? [fault] : []),
    ...(isComing ? [note(`${plugin.place}: not installed yet; OpenCode installs it at its next start`)] : []),
    ...checkVersions({ configured: plugin, onDisk, own: VERSION, proved: proof?.version }),
    await checkLoaded(cli.files, folders, proof?.version ?? version),
    ...(await (isTwo ? checkScreen2(project) : checkScreen(project))),
  ];
  return [{ title: "Plugin", findings }, ...(proof ? [{ title: "Proof", findings: proof.findings }] : [])];
}
