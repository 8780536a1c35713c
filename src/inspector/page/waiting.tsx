/** What waits for the user, in the one list, with both versions of a conflict and all candidates; the agenda; and the log. */
import { useRef, useState } from "preact/hooks";
import { formatPercent } from "../../base/format.js";
import type { AgendaPage, ConflictPair, DescribedCandidate, LogPage, Todo } from "../answers.js";
import { compareTexts, type Piece } from "./diff.js";
import { findFocusedRow, formatRoute, useAnswer, useKeys, useShared, useTodos } from "./hooks.js";
import { Age, Button, Card, Chip, Empty, Heading, List, Loaded, Select, View } from "./parts.js";

export function WaitingView() {
  const conflicts = useAnswer<readonly ConflictPair[]>("conflicts");
  const candidates = useAnswer<{ candidates: readonly DescribedCandidate[] }>("candidates", {});
  const todos = useTodos();
  const others = todos.value?.todos.filter(({ kind }) => kind !== "conflict" && kind !== "candidate");
  const isNothing =
    others?.length === 0 && conflicts.value?.length === 0 && candidates.value?.candidates.length === 0;
  return (
    <>
      <View title="Waiting for you" answer={conflicts}>
        {(all) => all.map((conflict) => <Conflict key={conflict.name} conflict={conflict} />)}
      </View>
      {others?.map((todo) => (
        <Other key={todo.id} todo={todo} />
      ))}
      <Loaded answer={candidates}>{(value) => <Sentences {...value} />}</Loaded>
      {isNothing && (
        <Card>
          <Empty>
            Nothing waits for you. Sentences that may be rules of yours, conflicting, damaged and outdated
            memories, and those of others appear here.
          </Empty>
        </Card>
      )}
    </>
  );
}

/** What the page cannot do itself is shown as its command. */
function Other({ todo: { kind, ways, what } }: { todo: Todo }) {
  const { apply } = useShared();
  const isDone = ({ operation }: Todo["ways"][number]): boolean =>
    operation !== undefined && operation !== "edit file";
  return (
    <Card title={what}>
      <div class="actions" data-row tabIndex={-1}>
        <Chip>{kind}</Chip>
        {ways.map((way) =>
          isDone(way) ? (
            <Button
              key={way.command}
              name={way.title}
              of={what}
              onClick={() => apply(way.operation ?? "", way.input ?? {})}
            />
          ) : (
            <span key={way.command} class="fine">
              {way.title}: <code>{way.command}</code>
            </span>
          ),
        )}
      </div>
    </Card>
  );
}

type Decision = (id: string, what: "keep" | "drop") => void;

/** In order of worth; a key decides on the one whose row has the focus, or on the first. */
function Sentences({ candidates }: { candidates: readonly DescribedCandidate[] }) {
  const { apply } = useShared();
  const decided = useRef(new Set<string>());
  const decide: Decision = async (id, what) => {
    // The list still has it until the server has answered, and the key may be pressed again for the next.
    decided.current.add(id);
    if ((await apply(what, { ids: [id] })) === undefined) decided.current.delete(id);
  };
  const decideChosen = (what: "keep" | "drop") => (): void => {
    const row = findFocusedRow();
    const first = candidates.find(({ id }) => !decided.current.has(id));
    const id = row ? row.dataset.candidate : first?.id;
    if (id !== undefined && !decided.current.has(id)) decide(id, what);
  };
  useKeys({ y: decideChosen("keep"), d: decideChosen("drop") });
  return (
    <>
      {candidates.map((candidate) => (
        <Sentence key={candidate.id} candidate={candidate} onDecide={decide} />
      ))}
    </>
  );
}

function Sentence({ candidate, onDecide }: { candidate: DescribedCandidate; onDecide: Decision }) {
  const { after, before, worth, id, said, sessions, text, type } = candidate;
  const last = said.at(-1);
  return (
    <Card class="sentence">
      <blockquote>
        {before !== undefined && <span class="beside">{before} </span>}
        {before === undefined && after === undefined ? text : <mark>{text}</mark>}
        {after !== undefined && <span class="beside"> {after}</span>}
      </blockquote>
      <p class="fine">
        <Chip tone="type">{type}</Chip> {formatPercent(worth)} likely worth keeping
        {last && (
          <>
            {" · said "}
            <Age at={last.at} /> in <a href={formatRoute("sessions", last.session)}>{last.session}</a>
          </>
        )}
        {sessions > 1 && ` · said in ${sessions} sessions`}
      </p>
      <div class="actions" data-row data-candidate={id} tabIndex={-1}>
        <Button tone="main" hint="y" name="Keep" of={text} onClick={() => onDecide(id, "keep")} />
        <Button hint="d" name="Drop" of={text} onClick={() => onDecide(id, "drop")} />
      </div>
    </Card>
  );
}

function Conflict({ conflict }: { conflict: ConflictPair }) {
  const { apply } = useShared();
  const { found, name, that, title } = conflict;
  const pieces = compareTexts(conflict.this.text, that.text);
  const decide = (keep: string) => () => apply("decide", { name, keep });
  return (
    <Card title={`Two versions of “${title}”`} more={<Age at={found} />} class="conflict">
      <div class="sides">
        <Side heading="In use" version={conflict.this} pieces={pieces} without="added" />
        <Side heading="Other version" version={that} pieces={pieces} without="removed" />
      </div>
      <div class="actions" data-row tabIndex={-1}>
        <Button name="Keep the version in use" onClick={decide("this")} />
        <Button name="Keep the other version" onClick={decide("that")} />
        <Button name="Keep both" onClick={decide("both")} />
      </div>
    </Card>
  );
}

interface SideProps {
  heading: string;
  version: ConflictPair["that"];
  pieces: readonly Piece[];
  without: Piece["kind"];
}

function Side({ heading, pieces, version: { by, id }, without }: SideProps) {
  return (
    <div class="side">
      <h3>{heading}</h3>
      <p class="text">
        {pieces
          .filter(({ kind }) => kind !== without)
          .map(({ kind, text }, at) =>
            kind === "same" ? <span key={at}>{text}</span> : <mark key={at}>{text}</mark>,
          )}
      </p>
      <p class="fine">
        {id === undefined ? "only in the conflict record" : <a href={formatRoute("memories", id)}>{id}</a>}
        {by !== undefined && `, from ${by}`}
      </p>
    </div>
  );
}

/* The agenda. */

type Item = AgendaPage["items"][number];

export function AgendaView() {
  const answer = useAnswer<AgendaPage>("agenda");
  return (
    <View title="Agenda" answer={answer}>
      {({ headings, items, older, person }) => (
        <>
          {items.length === 0 && (
            <Card>
              <Empty>No open items.</Empty>
            </Card>
          )}
          {[...new Set(items.map(({ kind }) => kind))].map((kind) => (
            <Card key={kind} title={headings[kind]}>
              <List rows={items.filter((item) => item.kind === kind)} keyOf={({ id }) => id}>
                {(item) => <Entry item={item} isMine={item.claim?.instance === person} />}
              </List>
            </Card>
          ))}
          {older > 0 && (
            <p class="fine">{older} older than 30 days not shown; list them with strata agenda --all</p>
          )}
        </>
      )}
    </View>
  );
}

function Entry({ isMine, item }: { item: Item; isMine: boolean }) {
  const { apply } = useShared();
  const { atMs, claim, id, isBusy, isForeign, isInProgress, kind, session, text } = item;
  return (
    <div class="row entry" data-row tabIndex={-1}>
      <span class="entry-text">
        <span>{text}</span>
        <span class="fine">
          {isInProgress && <Chip tone="busy">in progress</Chip>}
          {isBusy && <Chip tone="busy">working</Chip>}
          {isForeign && <Chip tone="warn">not yours</Chip>}
          {claim && <Chip>{isMine ? "claimed by you" : `claimed by ${claim.session}`}</Chip>}
          {session !== undefined && <a href={formatRoute("sessions", session)}>{session}</a>}{" "}
          <Age at={atMs} />
        </span>
      </span>
      {kind !== "held" && !claim && (
        <Button tone="quiet" name="Claim" of={text} onClick={() => apply("claim", { item: id })} />
      )}
      {isMine && (
        <Button tone="quiet" name="Release" of={text} onClick={() => apply("release", { item: id })} />
      )}
    </div>
  );
}

/* The log. */

const LEVELS: Readonly<Record<string, RegExp>> = { all: /./, warnings: /^(WARN|ERROR)$/, errors: /^ERROR$/ };
const LEVEL_NAMES = Object.fromEntries(Object.keys(LEVELS).map((one) => [one, one]));

export function LogView() {
  const [level, setLevel] = useState("all");
  const [words, setWords] = useState("");
  const answer = useAnswer<LogPage>("log");
  const isShown = (one: LogPage["entries"][number]): boolean =>
    LEVELS[level]?.test(one.level) === true &&
    `${one.source} ${one.message}`.toLowerCase().includes(words.toLowerCase());
  return (
    <>
      <Heading>Log</Heading>
      <search class="filters inline">
        <input
          type="search"
          value={words}
          placeholder="Filter"
          aria-label="Filter the log"
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <Select label="Level" names={LEVEL_NAMES} value={level} onChange={setLevel} />
      </search>
      <Loaded answer={answer}>
        {({ entries, path }) => (
          <Card>
            <List
              rows={entries.filter(isShown)}
              class="log"
              empty={entries.length === 0 ? "The log is empty." : "No matches."}
            >
              {(entry) => (
                <div class={entry.level.toLowerCase()}>
                  <time dateTime={entry.time} title={new Date(entry.time).toLocaleString()}>
                    {entry.time.slice(5, 10)} {entry.time.slice(11, 19)}
                  </time>
                  <span class="level">{entry.level}</span>
                  <span class="source">{entry.source}</span>
                  <span class="message">{entry.message}</span>
                </div>
              )}
            </List>
            <p class="fine">
              The last lines of <code>{path}</code>; times are UTC
            </p>
          </Card>
        )}
      </Loaded>
    </>
  );
}
