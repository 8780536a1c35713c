/** What waits for the user's decision: candidates and conflicting memories. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { formatPercent } from "../../base/format.js";
import type { ConflictPair, Version, Waiting, WaitingSentence } from "../answers.js";
import { compareTexts } from "./diff.js";
import { formatRoute, useAnswer, useKeys, useShared } from "./hooks.js";
import { Age, Button, Card, Chip, Empty, Heading, Loaded } from "./parts.js";
import { addressOf } from "./server.js";

export function WaitingView() {
  const answer = useAnswer<Waiting>(addressOf("waiting"));
  return (
    <>
      <Heading>Waiting for you</Heading>
      <Loaded answer={answer}>
        {({ candidates = [], candidatesWhy, conflicts }) => (
          <>
            {conflicts.map((conflict) => (
              <Conflict key={conflict.name} conflict={conflict} />
            ))}
            {candidatesWhy !== undefined && <p class="failure">{candidatesWhy}</p>}
            <Sentences candidates={candidates} />
            {conflicts.length + candidates.length === 0 && candidatesWhy === undefined && (
              <Card>
                <Empty>
                  Nothing waits for you. Sentences that may be rules of yours and conflicting memories appear
                  here.
                </Empty>
              </Card>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

type Decision = (id: string, what: "keep" | "drop") => void;

/** In order of worth; a key decides on the one whose row has the focus, or on the first. */
function Sentences({ candidates }: { candidates: readonly WaitingSentence[] }) {
  const { apply } = useShared();
  const decided = useRef(new Set<string>());
  const decide: Decision = async (id, what) => {
    // The list still has it until the server has answered, and the key may be pressed again for the next.
    decided.current.add(id);
    if ((await apply(what, { ids: [id] })) === undefined) decided.current.delete(id);
  };
  const decideChosen = (what: "keep" | "drop") => (): void => {
    const row = document.activeElement?.closest<HTMLElement>("[data-row]");
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

function Sentence({ candidate, onDecide }: { candidate: WaitingSentence; onDecide: Decision }) {
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
        <Button tone="main" hint="y" onClick={() => onDecide(id, "keep")} label={`Keep: ${text}`}>
          Keep
        </Button>
        <Button hint="d" onClick={() => onDecide(id, "drop")} label={`Drop: ${text}`}>
          Drop
        </Button>
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
        <Side heading="In use" version={conflict.this}>
          {pieces
            .filter(({ kind }) => kind !== "added")
            .map(({ kind, text }, at) =>
              kind === "same" ? <span key={at}>{text}</span> : <mark key={at}>{text}</mark>,
            )}
        </Side>
        <Side heading="Other version" version={that}>
          {pieces
            .filter(({ kind }) => kind !== "removed")
            .map(({ kind, text }, at) =>
              kind === "same" ? <span key={at}>{text}</span> : <mark key={at}>{text}</mark>,
            )}
        </Side>
      </div>
      <div class="actions" data-row tabIndex={-1}>
        <Button onClick={decide("this")}>Keep the version in use</Button>
        <Button onClick={decide("that")}>Keep the other version</Button>
        <Button onClick={decide("both")}>Keep both</Button>
      </div>
    </Card>
  );
}

interface SideProps {
  heading: string;
  version: Version;
  children: ComponentChildren;
}

function Side({ children, heading, version: { by, id } }: SideProps) {
  return (
    <div class="side">
      <h3>{heading}</h3>
      <p class="text">{children}</p>
      <p class="fine">
        {id === undefined ? "only in the conflict record" : <a href={formatRoute("memories", id)}>{id}</a>}
        {by !== undefined && `, from ${by}`}
      </p>
    </div>
  );
}
