/** Italian. */
import type { Form } from "./form.js";
import { start, word } from "./words.js";

const IT_BUT = word(
  "ancora|per ora|per adesso|questa volta|finché|solo spiegami|spiegami solo|errore|pulsante|colonna|colore|funziona|analizza|dammi|dimmi",
);
export const italian: readonly Form[] = [
  {
    name: "fromNow",
    type: "directive",
    pattern: word("d'ora in poi|da ora in poi|d'ora in avanti|da adesso in poi|da oggi in poi"),
    but: word("funziona|compare"),
    isPlain: true,
  },
  {
    name: "neverAgain",
    type: "directive",
    pattern: word(
      "non (?:usare|fare|toccare|cambiare|cancellare|modificare|mettere|scrivere) mai più|mai più (?:usare|fare|toccare)|non devi (?:mai|più)",
    ),
    isPlain: true,
  },
  {
    name: "alwaysNever",
    type: "directive",
    pattern: word(
      "^(?:(?:e|ma|per favore),? )*(?:usa|rispondi|scrivi|esegui|chiedi|controlla|metti|fai|aggiorna|testa) sempre|^(?:(?:e|ma|per favore),? )*non (?:usare|fare|toccare|cambiare|cancellare|modificare|mettere|scrivere|creare|aggiungere) mai",
    ),
    isPlain: true,
  },
  {
    name: "remember",
    type: "knowledge",
    pattern: start("(?:ricorda|ricordati|tieni presente|tieni conto|sappi|nota)(?: bene)? (?:che|:)"),
    but: IT_BUT,
    isPlain: true,
  },
  {
    name: "correction",
    type: "feedback",
    pattern: /^no[,.] (?:il|la|lo|i|gli|le|è|sono|l')(?!\p{L}).{2,60},? (?:e )?non (?:il |la |è |in )?\S/u,
    isPlain: true,
  },
  {
    name: "must",
    type: "directive",
    pattern: word(
      "(?:tutti|tutte|ogni) .{2,60}(?:deve|devono|va|vanno) |non (?:va|vanno|deve|devono) (?:essere )?(?:modificat\\p{L}|toccat\\p{L}|cambiat\\p{L}|cancellat\\p{L})|è vietato",
    ),
    but: IT_BUT,
  },
  {
    name: "dont",
    type: "directive",
    pattern: start(
      "(?:(?:e|ma|per favore),? )*non (?:usare|aggiungere|creare|installare|modificare|toccare|cambiare|cancellare) .*(?:nessun\\p{L}?|niente|senza (?:chieder\\p{L}+|il mio)|dipendenze|commenti|file (?:in|nella|della)|cartella)",
    ),
    but: IT_BUT,
  },
  {
    name: "prefer",
    type: "preference",
    pattern: word("preferisco|non mi piacciono|non mi piace|odio"),
    but: /\?|(?<!\p{L})(?:ora|adesso|com'è|questo|così)(?!\p{L})/u,
  },
  {
    name: "likeThings",
    type: "preference",
    pattern: word("(?:rispondi|rispondimi|scrivi|parla)(?: sempre)? in (?:italiano|inglese)"),
    isPlain: true,
  },
  {
    name: "told",
    type: "feedback",
    pattern: word(
      "(?:ti )?ho (?:già )?(?:detto|chiesto) (?:di (?:non|usare)|che (?:non|devi))|te l'ho già detto|quante volte",
    ),
  },
  {
    name: "goWith",
    type: "decision",
    pattern: word(
      "(?:useremo|abbiamo deciso|ho deciso|abbiamo scelto|restiamo con|non useremo|non faremo) (?!(?:la prima|questo|quello)(?!\\p{L}))\\p{L}|usiamo \\p{L}+, non",
    ),
    but: /\?/u,
  },
  {
    name: "iDontKnow",
    type: "knowledge",
    pattern: word(
      "non so (?:programmare|usare|niente di)|sono (?:un |una )?(?:principiante|alle prime armi|studente|designer|geometra)|non ho mai usato|uso (?:windows|linux|mac)|sono su (?:windows|linux|mac)",
    ),
    but: /\?/u,
  },
  {
    name: "weUse",
    type: "knowledge",
    pattern: word(
      "usiamo|utilizziamo|lavoriamo (?:con|per|su)|(?:il )?nostr[oa]s? \\p{L}+ (?:è|sono|usa|gira)|il server (?:è|usa|gira|ha)",
    ),
    but: IT_BUT,
  },
  {
    name: "isIn",
    type: "knowledge",
    pattern:
      /(?<!\p{L})(?:si trova|si trovano|è presente|sta|stanno|è in|sono in|ho)(?: tutt\p{L})?(?: dentro| nella cartella| nella directory| in| nel)? [\w.~-]*[/\\][\w/\\.-]*/u,
    but: /\?|errore|dove/u,
  },
];
