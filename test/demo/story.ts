/**
 * The scripted session: 40 user turns of work on a copy of this repository, made from the data in chapters.ts, the
 * same for every run. What the agent does is a list of beats, one a request: `work` is calls it makes in any case,
 * `again` are earlier calls whose results it wants to look at once more, if they no longer stand in the request.
 */
import { existsSync, readFileSync } from "node:fs";
import { HOST } from "../host/stage/which-host.js";
import { type Chance, createChance } from "../support/chance.js";
import { type Chapter, chapters } from "./chapters.js";

/** A tool call whose id is known before it is made. */
export interface WorkCall {
  id: string;
  tool: string;
  args: Record<string, unknown>;
  /** What the agent wants to know of the result. */
  pattern: string;
}

export type Beat = { kind: "work"; calls: WorkCall[] } | { kind: "again"; targets: WorkCall[] };

/** One user message, the agent's work on it, and its answer. */
export interface Turn {
  number: number;
  user: string;
  beats: Beat[];
  answer: string;
}

/** Where the files are. */
export type PathOf = (relativePath: string) => string;

const PACKAGES = "npm ls --all --json --package-lock-only";
const SEED = 2_026;
/** A result is looked at again only from so many turns later on. */
const LONG_AGO_TURNS = 4;

/** The story, for a project with these paths. Throws where a file that it names is not in the project. */
export function createStory(pathOf: PathOf): Turn[] {
  const made: WorkCall[][] = [];
  const chance = createChance(SEED);
  return chapters.flatMap((chapter, index) =>
    kinds.map((kind, part) => {
      const number = index * kinds.length + part + 1;
      const transaction = createTransaction({ chapter, index, number, pathOf, chance, made });
      const beats = kind(transaction);
      made.push(beats.flatMap((beat) => (beat.kind === "work" ? beat.calls : [])));
      return { number, user: chapter.says[part] ?? "", beats, answer: formatAnswer(chapter, number) };
    }),
  );
}

/** The files under node_modules that the story reads. */
export function listPackageFiles(): string[] {
  return chapters.flatMap(({ theirs }) => theirs.map((path) => `node_modules/${path}`));
}

/** What a kind of turn is made with. */
interface Transaction {
  chapter: Chapter;
  index: number;
  chance: Chance;
  call(tool: string, args: Record<string, unknown>): WorkCall;
  bash(command: string, description: string): WorkCall;
  readOwn(index: number): WorkCall;
  readTheirs(index: number): WorkCall;
  /** 1,200 lines of it, from somewhere near its beginning. */
  readPart(index: number): WorkCall;
  /** Puts a line at the beginning of the chapter's first file. */
  mark(): WorkCall;
  /** So many results of long ago. */
  again(count: number): Beat;
}

/** First turn of a chapter: looks around. */
function explore(transaction: Transaction): Beat[] {
  const { chapter, index } = transaction;
  return [
    work(
      transaction.call("glob", { pattern: `${chapter.folder}/**/*.ts` }),
      transaction.call("grep", { pattern: chapter.pattern, include: "*.ts" }),
    ),
    work(transaction.readOwn(0), transaction.readOwn(1)),
    work(transaction.readTheirs(0)),
    work(
      transaction.bash(`git log --stat -30 -- ${chapter.folder}`, "List the commits"),
      // OpenCode 2 has no list of tasks.
      ...(index % 2 === 0 && HOST === 1
        ? [transaction.call("todowrite", { todos: listTodos(chapter) })]
        : []),
    ),
  ];
}

/** Second turn: reads what others have written, and takes notes. */
function study(transaction: Transaction): Beat[] {
  const { chapter, index } = transaction;
  const notes = { filePath: `scratch/notes/chapter-${index + 1}.md`, content: formatNotes(chapter) };
  return [
    work(transaction.readTheirs(1)),
    work(
      transaction.call("grep", { pattern: chapter.pattern, include: "*.test.ts" }),
      transaction.bash(PACKAGES, "Print the tree of packages"),
    ),
    work(transaction.readTheirs(2)),
    transaction.again(1),
    work(transaction.call("write", notes)),
  ];
}

/** Third turn: changes a file and looks at it again; the check finds something and exits with 3. */
function change(transaction: Transaction): Beat[] {
  const { folder } = transaction.chapter;
  const check = `grep -rnE '.{96,}' ${folder} test/unit --include='*.ts' && exit 3`;
  return [
    work(transaction.mark()),
    work(transaction.readOwn(0), transaction.bash(check, "Check the length of lines")),
    work(transaction.readPart(3)),
    work(
      transaction.bash("npm run typecheck", "Check the types"),
      transaction.bash(`git diff -- ${folder}`, "Show the change"),
    ),
  ];
}

/** Fourth turn: asks other tools, and goes back to what was seen long ago. */
function verify(transaction: Transaction): Beat[] {
  const { chapter, index, chance } = transaction;
  const tracker =
    index % 2 === 0
      ? transaction.call("mcp_json", { records: 500 + chance(400) })
      : transaction.call("mcp_blob", { bytes: 30_000 + chance(60_000), seed: index });
  const bash =
    index % 2 === 0
      ? transaction.bash(`cat ${chapter.folder}/*.ts`, "Print the folder")
      : transaction.bash(`git log -p -12 --skip=${index}`, "Show the history");
  return [
    work(tracker),
    work(transaction.readTheirs(4)),
    transaction.again(2),
    work(transaction.readTheirs(5)),
    work(bash, transaction.readOwn(2)),
  ];
}

const kinds = [explore, study, change, verify];

function work(...calls: WorkCall[]): Beat {
  return { kind: "work", calls };
}

interface TransactionOptions extends Pick<Transaction, "chapter" | "index" | "chance"> {
  number: number;
  pathOf: PathOf;
  /** The calls of the turns before. */
  made: readonly WorkCall[][];
}

function createTransaction({
  chapter,
  index,
  number,
  pathOf,
  chance,
  made,
}: TransactionOptions): Transaction {
  let count = 0;
  const call: Transaction["call"] = (tool, args) => {
    count += 1;
    const absolute = "filePath" in args ? { ...args, filePath: pathOf(String(args.filePath)) } : args;
    return { id: `turn${number}_${count}`, tool, args: absolute, pattern: chapter.pattern };
  };
  const read = (path: string, part = {}): WorkCall => {
    if (!existsSync(pathOf(path))) throw new Error(`test/demo/chapters.ts names ${path}, which is not there`);
    return call("read", { filePath: path, ...part });
  };
  const theirs = (at: number): string => `node_modules/${chapter.theirs[at]}`;
  return {
    chapter,
    index,
    chance,
    call,
    bash: (command, description) => call("bash", { command, description }),
    readOwn: (at) => read(chapter.own[at] ?? ""),
    readTheirs: (at) => read(theirs(at)),
    readPart: (at) => read(theirs(at), { offset: 1 + chance(100), limit: 1_200 }),
    mark() {
      const filePath = chapter.own[0];
      // Three lines, since one may stand in the file more than once, and an edit is then refused.
      const oldString = readFileSync(pathOf(filePath), "utf8").split("\n", 3).join("\n");
      return call("edit", { filePath, oldString, newString: `// Marked: ${chapter.topic}.\n${oldString}` });
    },
    again: (wanted) => ({
      kind: "again",
      targets: pickOld(made.slice(0, -LONG_AGO_TURNS).flat(), wanted, chance),
    }),
  };
}

/** Some of the calls that were about reading something; none of them twice. */
function pickOld(calls: readonly WorkCall[], count: number, chance: Chance): WorkCall[] {
  const open = calls.filter(({ tool }) => tool === "read" || tool === "bash");
  return Array.from({ length: Math.min(count, open.length) }, () =>
    open.splice(chance(open.length), 1),
  ).flat();
}

function listTodos({ topic, own }: Chapter): object[] {
  return own.map((path, index) => ({
    content: `${topic}: go through ${path}`,
    status: index === 0 ? "in_progress" : "pending",
    priority: "medium",
  }));
}

function formatNotes({ topic, own, theirs, pattern }: Chapter): string {
  return `# Notes on ${topic}

- Read here: ${own.join(", ")}.
- Read there: ${theirs.slice(0, 3).join(", ")}.
- What decides is where "${pattern}" stands. The rest follows from it, and is covered by a test.
- Open: whether the message to the user should name the file as well as the key.
`;
}

function formatAnswer({ topic, own, theirs, pattern }: Chapter, number: number): string {
  return `On ${topic} (turn ${number}): what you ask is settled in ${own[0]}, where "${pattern}" stands, and ${own[1]} \
relies on it. ${theirs[0]} does the same in another way; nothing there speaks against what we have. I have looked at \
${own[2]} too, and see no need to change more than that.`;
}
