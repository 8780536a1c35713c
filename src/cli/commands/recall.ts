import { type Found, formatFound, listShownWhole } from "../../memory/search/search.js";
import { exitCodes, type Run, readType, readWhole } from "../../operations/command.js";
import { formatFactLine, openKnownEntities } from "../../operations/open-candidates.js";
import { withMemories } from "../../operations/open-memories.js";
import { openSearch } from "../../operations/open-search.js";
import { openProject } from "../../operations/project.js";
import { formatOverview, planOverview } from "../overview.js";

const USUAL_LIMIT = 10;
const MOST_HITS = 1_000;

export const run: Run = async (cli, { archived, json, limit, type: wanted }, args) => {
  const { clock, say } = cli;
  const text = args.join(" ").trim();
  const type = readType(wanted);
  const most = readWhole("--limit", limit, { usual: USUAL_LIMIT, least: 1, most: MOST_HITS });
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    if (text === "" && type === undefined && archived !== true) {
      const overview = planOverview(await memories.list());
      say(json ? JSON.stringify(overview, null, 2) : formatOverview(overview));
      return exitCodes.fine;
    }
    const search = await openSearch(project, memories);
    if (text !== "") await search.waitForMeaning();
    const found = await search.find({
      limit: most,
      ...(text !== "" && { text }),
      ...(type !== undefined && { type }),
      ...(archived === true && { archived }),
    });
    const entities = await openKnownEntities(project);
    await entities.prepare();
    const about = entities.find(text);
    const lineOf = (one: Found): string => formatFound(one, clock.now());
    memories.noteUse(json ? listMemoryIDs(found) : listShownWhole(found, lineOf));
    await search.onIdle();
    const lines = [...about.map((fact) => formatFactLine(fact, clock.now())), ...found.map(lineOf)];
    if (json) say(JSON.stringify({ found, ...(about.length > 0 && { entities: about }) }, null, 2));
    else say(lines.length === 0 ? "No results." : lines.join("\n"));
    return exitCodes.fine;
  });
};

const listMemoryIDs = (found: readonly Found[]): string[] =>
  found.flatMap((one) => (one.kind === "memory" ? [one.memory.id] : []));
