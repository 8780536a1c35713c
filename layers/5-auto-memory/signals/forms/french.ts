/** French, in plain forms only. */
import type { Form } from "./form.js";
import { start, word } from "./words.js";

const FR_BUT = word(
  "encore|pour l'instant|cette fois|pour le moment|explique seulement|erreur|bouton|colonne|couleur|marche|ce fichier",
);
export const french: readonly Form[] = [
  {
    name: "fromNow",
    type: "directive",
    pattern: word("à partir de maintenant|désormais|dorénavant|à l'avenir,"),
    but: word("marche|fonctionne|s'affiche|j'ai|il y a|est|sont|impossible"),
    isPlain: true,
  },
  {
    name: "neverAgain",
    type: "directive",
    pattern: start(
      "(?:(?:et|mais|s'il te plaît),? )*(?:ne |n')(?:\\p{L}+e|utilise|fais|touche|modifie|supprime|mets|écris)s? (?:plus )?jamais",
    ),
    but: word("il|elle|ça|je|on"),
    isPlain: true,
  },
  {
    name: "alwaysNever",
    type: "directive",
    pattern: start(
      "(?:(?:et|mais|s'il te plaît),? )*(?:utilise|réponds|écris|lance|demande|vérifie|mets|fais|exécute|ajoute|garde) toujours",
    ),
    isPlain: true,
  },
  {
    name: "remember",
    type: "knowledge",
    pattern: start(
      "(?:souviens-toi|rappelle-toi|retiens|garde en tête|garde à l'esprit|note bien)(?: que| qu'| :|:)",
    ),
    but: FR_BUT,
    isPlain: true,
  },
  {
    name: "correction",
    type: "feedback",
    pattern: /^non[,.] (?:le|la|les|c'est|l'|ce sont)(?!\p{L}) ?.{2,60}, (?:et )?pas \S/u,
    isPlain: true,
  },
];
