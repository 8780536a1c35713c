/**
 * `strata doctor`: checks everything that can keep the plugin from working, then has OpenCode load what the configuration
 * names, and plays a session to prove that it works.
 */
import { resolve } from "node:path";
import * as z from "zod";
import { isSecond } from "../../base/tested.js";
import { VERSION } from "../../base/version.js";
import { readFreeBytes } from "../../io/node-files.js";
import { amount, defineTerminalOperation, flag, option } from "../operation.js";
import { openLocks, type Project } from "../project.js";
import { checkConfiguration, describeSettings } from "./configuration.js";
import {
  type Configured,
  checkLoaded,
  checkScreen,
  checkScreen2,
  checkVersions,
  readOnDisk,
} from "./installed.js";
import {
  checkFolders,
  checkMachine,
  checkRuntime,
  fine,
  formatSections,
  isTrouble,
  note,
  type Section,
} from "./machine.js";
import { checkHost, findProgram } from "./opencode.js";
import { prove } from "./proof.js";

const input = z.object({
  report: flag
    .default(false)
    .describe("prints what an issue needs, as text without paths, keys and words of yours"),
  noProof: flag.default(false).describe("does not play the session"),
  plugin: option(z.string(), "folder", "proves the build in this folder instead of the configured one"),
  // It takes some ten seconds on an idle machine with two cores.
  within: amount(900, 300, "time limit for the session", "seconds"),
});

export const doctor = defineTerminalOperation(input, async (project, options) => {
  const { cli, folders } = project;
  const { files, style } = cli;
  const program = await findProgram(cli);
  const { binary, version } = program;
  const isTwo = version !== undefined && isSecond(version);
  const { explained: settings, findings: inForce } = await describeSettings(files, await project.settings());
  const { configured, findings } = await checkConfiguration(project, isTwo);
  /** The folder named with `--plugin`, else what is configured. */
  const plugin: Configured | undefined =
    options.plugin === undefined
      ? configured
      : { spec: resolve(cli.folder, options.plugin), place: options.plugin, isPackage: false };
  const { inspect: inspectLock } = openLocks(project, "doctor");
  const machine = [
    checkRuntime(process.versions),
    fine(`this command line is opencode-strata ${VERSION}`),
    checkHost(program),
    ...(await checkMachine({ files, inspectLock, readFreeBytes }, folders)),
    ...(await checkFolders(files, folders, (await project.settings()).config)),
  ];
  const isProved = !options.noProof && !options.report && version !== undefined;
  const used = isProved ? binary : undefined;
  const sections: Section[] = [
    { title: "Configuration", findings },
    { title: "Settings", findings: inForce },
    { title: "Machine", findings: machine },
    ...(plugin
      ? await examinePlugin(project, plugin, { withinSeconds: options.within, binary: used, isTwo })
      : []),
  ];
  const isWell = !sections.some((section) => section.findings.some(isTrouble));
  const data = { project: project.root, isWell, sections, settings };
  if (!options.report) return { text: formatSections(sections, style), data, isProblem: !isWell };
  const { formatReport } = await import("./report.js");
  return { text: await formatReport(project, { sections, settings, version }), isProblem: !isWell };
});

/** The plugin on disk, in OpenCode (`binary`; absent if there is to be no proof), and in this project so far. */
async function examinePlugin(
  project: Project,
  plugin: Configured,
  { binary, isTwo, withinSeconds }: { binary: string | undefined; isTwo: boolean; withinSeconds: number },
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
    ...checkVersions(plugin, onDisk, { own: VERSION, proved: proof?.version }),
    await checkLoaded(cli.files, folders, proof?.version ?? version),
    ...(await (isTwo ? checkScreen2(project) : checkScreen(project))),
  ];
  return [{ title: "Plugin", findings }, ...(proof ? [{ title: "Proof", findings: proof.findings }] : [])];
}

/** Prints a line for each step of the proof, on a terminal only. */
function createSteps({ clock, draw, style, warn }: Project["cli"]): (step: string) => void {
  const begunMs = clock.now();
  return (step) => {
    const seconds = Math.round((clock.now() - begunMs) / 1_000);
    if (draw) warn(style.dim(`${String(seconds).padStart(4)} s  ${step} …`));
  };
}
