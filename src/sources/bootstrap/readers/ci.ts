/** Facts of CI files: which commands run on which versions. Loads the YAML package. Pure. */
import { parse } from "yaml";
import { isRecord, type PlainRecord } from "../../../base/shape.js";
import { type Fact, listFact, type Reader, type Row, toTitle, toValues } from "../fact.js";

/** GitHub Actions. */
export const readWorkflow: Reader = (text, path) => {
  const workflow = readTable(text);
  const rows = Object.entries(recordOf(workflow.jobs)).flatMap(([name, job]) => {
    const { "runs-on": machine, steps, strategy, uses } = recordOf(job);
    const matrix = Object.entries(recordOf(recordOf(strategy).matrix));
    return [
      { name, values: toValues(machine ?? uses), isHeading: true as const },
      ...matrix
        .map(([axis, values]) => ({ name: axis, values: toValues(values) }))
        .filter(({ values }) => values.length > 0),
      ...toCommands((Array.isArray(steps) ? steps : []).map((step) => recordOf(step).run)),
    ];
  });
  return formatCI(path, toValues(workflow.name)[0], rows);
};

/** GitLab: every entry with a `script` is a job. */
export const readGitlab: Reader = (text, path) => {
  const config = readTable(text);
  const jobs = Object.entries(config).filter(([, job]) => isRecord(job) && job.script !== undefined);
  const rows = [
    ...toValues(config.image).map((image) => ({ name: "image", values: [image] })),
    ...jobs.flatMap(([name, job]) => {
      const { before_script: before, image, script } = recordOf(job);
      return [
        { name, values: toValues(image), isHeading: true as const },
        ...toCommands([before, script].flat()),
      ];
    }),
  ];
  return formatCI(path, undefined, rows);
};

function formatCI(path: string, name: string | undefined, rows: readonly Row[]): readonly Fact[] {
  return listFact({
    ...{ key: "ci", type: "procedure", importance: 0.5 },
    title: toTitle(name === undefined ? `What CI runs (${path})` : `What CI runs: ${name} (${path})`),
    aliases: ["continuous integration", "pipeline"],
    lead: `${path} runs, by job:`,
    rows,
  });
}

/** Lines with one of these belong to a shell program and mean nothing by themselves. */
const PROGRAM =
  /^(if|then|else|elif|fi|for|while|until|do|done|case|esac|function)\b|;\s*(then|do)$|<<-?\s*['"]?\w/;

/** The lines of these scripts, without shell programs. */
function toCommands(scripts: readonly unknown[]): Row[] {
  return scripts.flatMap(toValues).flatMap((script) => {
    const lines = script.split("\n").map((line) => line.trim());
    if (lines.some((line) => PROGRAM.test(line))) return [];
    const commands = lines.filter((line) => line !== "" && !line.startsWith("#"));
    return commands.map((line) => ({ values: [line] }));
  });
}

function readTable(text: string): PlainRecord {
  // Every scalar stays as written: 3.10 is a version, not a number.
  const value: unknown = parse(text, { logLevel: "error", merge: true, schema: "failsafe", ...LINEAR });
  return recordOf(value);
}

/** Both checks take quadratic time on long files. */
const LINEAR = { uniqueKeys: false, prettyErrors: false };

const recordOf = (value: unknown): PlainRecord => (isRecord(value) ? value : {});
