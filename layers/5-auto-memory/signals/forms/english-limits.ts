/** English forms of limits, times, purposes, and of what a person or machine can and cannot do. */
import { LOOK, ONCE, re } from "./english-words.js";
import type { Form } from "./form.js";

const PASSING =
  /\?|^(implement|add|create|write|make|build)\b|\b(errors?|fail\w*|broken|wrong|bug|issue|still|now|anymore|any more|today|tomorrow|yesterday|this (time|page|file|function|test|step|change|view|scan|snippet|component|commit|branch))\b/;

export const englishLimits: readonly Form[] = [
  {
    name: "onPurpose",
    type: "decision",
    pattern:
      /\b(on purpose|by design|deliberately|intentionally|as a (matter of )?principle|for legal reasons|for (gdpr|privacy|security|compliance)\b|by (law|contract))/,
    but: /\?|\b(not on purpose|error|did you|was it|is it)\b/,
  },
  {
    name: "limit",
    type: "knowledge",
    pattern:
      /\b(is|are|has|have|allows?|accepts?|takes?|refuses?|gets?|up to|limit(ed)? (is|to|of)|quota (is|of)|plan is) (a )?(max(imum|\.)?|min(imum|\.)?|at most|at least|only|up to|exactly|limited to|no more than|one|about|around)? ?\d[\d.,]* ?(%|kb|mb|gb|tb|ms|requests?|calls?|users?|seats?|items?|rows|entries|hours?|days?|weeks?|months?|minutes?|characters|chars|tokens|tiles|people|players|messages|activations|copies|builds|nodes|files|emails|mails)\b.{0,20}\b(a|an|per|each|every|max|maximum|at (once|a time|most)|older|notice|limit|long|quota)\b/,
    but: re(`${PASSING.source}|${LOOK.source}`),
  },
  {
    name: "schedule",
    type: "knowledge",
    pattern:
      /\b(runs?|gets?|is|are|goes?|go|happens?|pushed|sent|wiped|reset|synced|imported|exported|backed up|deployed|released|prints?|reads?|comes?|close|closes|open|opens|rebuilt|updated|meets?|ship|ships)\b.{0,40}\b(every (night|day|morning|evening|week|month|quarter|year|hour|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d+ (minutes?|hours?|days?))|nightly|once (a|per) (day|week|month|year)|on (mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends)|at (midnight|night|noon|\d{1,2}(:\d\d)? ?(am|pm|utc)?))\b/,
    but: re(
      `${PASSING.source}|${LOOK.source}|\\b(should|error|crash\\w*|want|can you|could you|please|add|make)\\b`,
    ),
  },
  {
    name: "deadline",
    type: "knowledge",
    pattern:
      /\b(deadline|due|hand[- ]?in|submission|release date|launch|go[- ]live|freeze|exam|demo|conference|audit) (date )?(is|are|on|by|in|every)\b.{0,25}\b(january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|spring|summer|autumn|fall|winter|q[1-4]|\d{1,2}[./]\d{1,2}|20\d\d)\b/,
    but: /\?/,
  },
  {
    name: "nobodyMay",
    type: "directive",
    pattern:
      /\b(nobody|no one|no-one|nothing|none of (them|us|our)|only (the )?[\w-]+( [\w-]+)?) (may|must|is allowed to|are allowed to|should ever|gets to|has the right|have the right)\b|\b(may|must) (only|never|not) .{2,60}\b(without|unless|before|after|from|by|until)\b/,
    but: re(`${PASSING.source}|${LOOK.source}`),
  },
  {
    name: "cannotHere",
    type: "knowledge",
    pattern:
      /\b(i|we|they|he|she|the (client|customers?|team|users?|boss|server|machine|runner|cluster|nodes?|ci|host|hoster)) (only )?(can'?t|cannot|can only|am not allowed to|are not allowed to|is not allowed to|may not|have no|has no|don'?t have( any)?|doesn'?t have( any)?|won'?t (get|have|hand|give)|only (have|has|use|uses|own|know|speak|read|run|work))\b .{0,30}\b(access|rights?|admin|root|internet|mac|windows|linux|iphone|android|xcode|gpu|budget|money|server|dns|docker|install|programs?|read|code|ssh|shell|cron|node|python|java|sql|english|license|licence|account|card|phone|laptop|chromebook|device|hardware|domain|backup|tests?)\b/,
    but: /\?|\b(error|because of this|so that i|if i|when i|still|now|yet|anymore|find|see|get it)\b/,
  },
  {
    name: "aboutMe",
    type: "knowledge",
    pattern:
      /\bi('m| am) (blind|deaf|dyslexic|colou?r[- ]?blind|a (solo|single|lone|hobby|freelance|junior|senior|complete|total)|self[- ]taught|the (only|sole) (one|developer|dev|person|maintainer)|alone on|no (developer|programmer|coder|designer|native)|not a (developer|programmer|coder|designer|native))|\bi (come from|only learned|learned|mostly (use|write|know)|never (learned|learnt|coded|programmed)|usually (write|work|use)|teach|study) \w|\bi (do this|work on this|maintain this|build this) (alone|for fun|in my (free|spare) time|as a|for)\b|\bmy (boss|client|customer|teacher|professor|supervisor|manager|mom|dad|wife|husband|friend|colleague|school) (wants|needs|insists|requires|said (no|we|that)|uses|only|doesn'?t|can'?t|hates|likes|expects|demands)\b/,
    but: /\?|\b(error|now|today|this morning|just|see if)\b/,
  },
  {
    name: "youTouch",
    type: "feedback",
    pattern:
      /\byou (touch|reformat|rewrite|rename|change|delete|remove|add|start|started|keep|answer|invent|guess|assume|refactor|reformatted|rewrote|renamed|touched|deleted|removed)(ed|s)?\b.{0,60}\b(nothing to do|unrelated|whole (file|files|thing)|when(ever)? i (ask|only ask|say|tell)|i (only|just) asked|without (asking|me|being asked)|again(,| and|\.|$)|every time|each time|i did(n'?t| not) ask|never asked|instead of)\b|\bwhen i (ask|report|say|tell you|give you|only ask)\b.{2,60},? (don'?t|do not|just|only|answer|work|give|stop)\b|\bdon'?t (answer|reply|respond|come back) with\b|\bonly (give|show|send|print) me\b/,
    but: /\?|\b(this time|now)\b/,
  },
  {
    name: "goesIn",
    type: "directive",
    pattern:
      /\b(all|every|any|new|each|everything|anything|the|our|shared|common)\b.{2,50}\b(go(es)?|belongs?|live|lives|gets?|stays?|are kept|is kept|are written|is written) (only )?(in|into|under|through|via|to|inside) ["'`\uE000-\uEFFF@]?([\w.-]+\/[\w./-]*|[\w-]+\.\w{2,5}\b|the [\w-]+ (files?|folder|module|layer|service|class|table|package|scope)\b|[a-z]+[A-Z]\w+)/,
    but: re(`${PASSING.source}|${LOOK.source}|\\b(where|error|request|click|data goes|log)\\b`),
  },
  {
    name: "pleaseStyle",
    type: "preference",
    pattern:
      /\b(answers?|replies|explanations?|comments?|commit messages?|docs|documentation|texts?|names?|variable names|pr descriptions?|messages)\b.{0,12}\b(in (english|german|french|spanish|italian|portuguese|dutch|swedish|polish|russian|chinese|japanese|korean|bullet points?|plain words|simple words)|short|brief|terse|concise|one line|one sentence|without (emoji\w*|jargon|filler))\b|\b(no|without|zero|skip the) (emoji\w*|ascii (art|diagrams?)|tables in|small talk|filler|preamble|apolog\w+|jargon|buzzwords|marketing)\b|\b(is what|what) i can (read|understand|follow)\b|\botherwise i (get lost|can'?t follow|don'?t understand|lose)\b/,
    but: re(`${ONCE.source}|\\?|\\b(button|label|field|column|error|table header)\\b`),
  },
  {
    name: "outIn",
    type: "decision",
    pattern:
      /\b(goes with|we go with|we went with|we'?re going with|i (threw|kicked|ripped) out|(is|are) out(,| for| -|;|\.|$)|(is|are) off the table|not gonna happen|no .{2,30} (anymore|any more) in|out of scope|not in scope|scope is|we'?ll never|we will never|stays? frozen|never reused?|supervisor agreed|(team|client|boss|we) (agreed|decided|chose|signed off))\b/,
    but: /\?|\b(error|maybe|perhaps|broken|if)\b/,
  },
];
