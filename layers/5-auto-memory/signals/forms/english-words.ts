/** Patterns shared by the English forms. */

/** Limits a statement to the current step. */
export const ONCE =
  /\b(yet|for now|this time|right now|for the moment|at the moment|until|in this (step|case)|today|still|anymore|any more|just (try|explain|tell|show|look|find|answer|describe)|only (explain|tell|show|look|answer|describe)|this (file|function|line|one|step|task|test|page|error|issue)|first (one|file)|explain it|finish|continue|proceed|here|(in|for|on|of|to|with) (this|that|these|those)(?! (project|repo\w*|codebase|app|company|team|organi[sz]ation)))\b/;
/** Parts of a user interface that is being built. */
export const LOOK =
  /\b(buttons?|colou?rs?|font|icons?|screen|modal|dialog|popup|header|footer|text|background|columns?|rows?|widget|layout|image|logo|border|padding|card|tab|menu|tooltip|dropdown|animation|link|label|input|form|list|title|spinner|box(es)?|cursor|camera|player|enemy|page)\b/;
/** Opening words without content. */
export const OPENING = `^[#*>\\s-]*(?:(?:ok|okay|yes|yeah|no|and|also|but|so|please|pls|btw|by the way|fyi|well|then|actually|remember|note|again|oh|for)[,:]? )*`;
export const re = (source: string): RegExp => new RegExp(source);
