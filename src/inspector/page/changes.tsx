/** All memory changes by step, dreams included, with diffs and undo. */
import { useMemo, useState } from "preact/hooks";
import { formatCount, formatCounted } from "../../base/format.js";
import type { Step, Steps } from "../answers.js";
import { compareTexts, nameChange, toReadable } from "./diff.js";
import { formatRoute, useAnswer, useShared } from "./hooks.js";
import { Age, Button, Card, Check, Chip, List, View } from "./parts.js";

export function ChangesView() {
  const [onlyDreams, setOnlyDreams] = useState(false);
  const answer = useAnswer<Steps>(onlyDreams ? "steps?dreams=1" : "steps");
  const filter = <Check label="dreams only" isOn={onlyDreams} onChange={setOnlyDreams} />;
  return (
    <View title="Changes" more={filter} answer={answer}>
      {({ more, steps }) => (
        <Card>
          <List
            rows={steps}
            keyOf={({ run }) => run}
            empty={onlyDreams ? "No dream has changed anything yet." : "No changes yet."}
            more={more}
            left="earlier steps not shown; the ledger has all of them"
          >
            {(step) => <StepView step={step} />}
          </List>
        </Card>
      )}
    </View>
  );
}

function StepView({ step }: { step: Step }) {
  const { apply } = useShared();
  const { at, by, canUndo, changes, isUndone, moreChanges, operation, reason, run } = step;
  const [first] = changes;
  const count = changes.length + moreChanges;
  const what = count === 1 && first ? first.memory : formatCounted(count, "memory", "memories");
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
          <Button name="Undo" label={`Undo ${operation} of ${what}`} onClick={() => apply("undo", { run })} />
        </div>
      )}
    </details>
  );
}

/** The diff of a memory's text: removed text struck through, added text underlined. */
export function DiffView({ after, before }: { before?: string | undefined; after?: string | undefined }) {
  const pieces = useMemo(() => {
    const [was, is] = [toReadable(before ?? ""), toReadable(after ?? "")];
    // A new text has nothing to compare with, so nothing is marked.
    return compareTexts(before === undefined ? is : was, is);
  }, [before, after]);
  if (pieces.length === 0) return <p class="empty">This text is not in the ledger.</p>;
  return (
    <pre class="diff">
      {pieces.map(({ kind, text }, at) => {
        if (kind === "removed") return <del key={at}>{text}</del>;
        if (kind === "added") return <ins key={at}>{text}</ins>;
        return <span key={at}>{text}</span>;
      })}
    </pre>
  );
}
