import type { AgendaPage } from "../answers.js";
import { formatRoute, useAnswer, useShared } from "./hooks.js";
import { Age, Button, Card, Chip, Empty, Heading, Loaded } from "./parts.js";
import { addressOf } from "./server.js";

type Item = AgendaPage["items"][number];

export function AgendaView() {
  const answer = useAnswer<AgendaPage>(addressOf("agenda"));
  return (
    <>
      <Heading>Agenda</Heading>
      <Loaded answer={answer}>
        {({ headings, items, older, person }) => (
          <>
            {items.length === 0 && (
              <Card>
                <Empty>No open items.</Empty>
              </Card>
            )}
            {[...new Set(items.map(({ kind }) => kind))].map((kind) => (
              <Card key={kind} title={headings[kind]}>
                <ul class="rows">
                  {items
                    .filter((item) => item.kind === kind)
                    .map((item) => (
                      <li key={item.id}>
                        <Entry item={item} isMine={item.claim?.instance === person} />
                      </li>
                    ))}
                </ul>
              </Card>
            ))}
            {older > 0 && (
              <p class="fine">{older} older than 30 days not shown; list them with strata agenda --all</p>
            )}
          </>
        )}
      </Loaded>
    </>
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
        <Button tone="quiet" onClick={() => apply("claim", { item: id })} label={`Claim: ${text}`}>
          Claim
        </Button>
      )}
      {isMine && (
        <Button tone="quiet" onClick={() => apply("release", { item: id })} label={`Release: ${text}`}>
          Release
        </Button>
      )}
    </div>
  );
}
