/** All memory changes by step, dreams included, with diffs and undo. */
import { useState } from "preact/hooks";
import { formatCount } from "../../base/format.js";
import type { Step, Steps } from "../answers.js";
import { DiffView, nameChange } from "./diff-view.js";
import { formatRoute, useAnswer, useShared } from "./hooks.js";
import { Age, Button, Card, Check, Chip, Empty, Heading, Loaded } from "./parts.js";
import { addressOf } from "./server.js";

export function ChangesView() {
  const [onlyDreams, setOnlyDreams] = useState(false);
  const answer = useAnswer<Steps>(addressOf("steps", { dreams: onlyDreams ? "1" : "" }));
  return (
    <>
      <Heading
        more={
          <Check isOn={onlyDreams} onChange={setOnlyDreams}>
            dreams only
          </Check>
        }
      >
        Changes
      </Heading>
      <Loaded answer={answer}>
        {({ more, steps }) => (
          <Card>
            {steps.length === 0 && (
              <Empty>{onlyDreams ? "No dream has changed anything yet." : "No changes yet."}</Empty>
            )}
            <ol class="rows">
              {steps.map((step) => (
                <li key={step.run}>
                  <StepView step={step} />
                </li>
              ))}
            </ol>
            {more > 0 && (
              <p class="fine">{formatCount(more)} earlier steps not shown; the ledger has all of them</p>
            )}
          </Card>
        )}
      </Loaded>
    </>
  );
}

function StepView({ step }: { step: Step }) {
  const { apply } = useShared();
  const { at, by, canUndo, changes, isUndone, moreChanges, operation, reason, run } = step;
  const [first] = changes;
  const count = changes.length + moreChanges;
  const what = count === 1 && first ? first.memory : `${formatCount(count)} memories`;
  return (
    <details class="step">
      <summary class="row" data-row>
        <span class="row-head">
          <Chip tone={operation === "dream" ? "busy" : "type"}>{operation}</Chip>
          <b>{what}</b>
          {isUndone && <Chip>undone</Chip>}
          {by === "person" && !operation.includes("by hand") && <Chip>by hand</Chip>}
          <Age at={at} />
        </span>
        {reason !== undefined && <span class="about">{reason}</span>}
      </summary>
      {changes.map((change) => (
        <div class="change" key={change.id}>
          <p class="fine">
            <a href={formatRoute("memories", change.memory)}>{change.memory}</a> · {nameChange(change)}
            {change.reason !== undefined && ` · ${change.reason}`}
          </p>
          <DiffView before={change.before} after={change.after ?? change.before} />
        </div>
      ))}
      {moreChanges > 0 && <p class="fine">and {formatCount(moreChanges)} more</p>}
      {canUndo && (
        <div class="actions">
          <Button onClick={() => apply("undo", { run })} label={`Undo ${operation} of ${what}`}>
            Undo
          </Button>
        </div>
      )}
    </details>
  );
}
