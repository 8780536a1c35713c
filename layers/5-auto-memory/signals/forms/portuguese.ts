/** Portuguese. */
import type { Form } from "./form.js";
import { start, word } from "./words.js";

const PT_BUT = word(
  "ainda|por enquanto|desta vez|agora só|até|só explique|erro|botão|tela|coluna|cor|funciona",
);
export const portuguese: readonly Form[] = [
  {
    name: "fromNow",
    type: "directive",
    pattern: word("a partir de agora|de agora em diante|daqui (?:pra|para) frente|daqui em diante"),
    but: word("funciona|aparece|falha"),
    isPlain: true,
  },
  {
    name: "neverAgain",
    type: "directive",
    pattern: word(
      "nunca mais (?:use|faça|mexa|altere|apague|mude|coloque|escreva)|(?:não|nao) (?:volte|torne) a|jamais (?:use|faça|altere|apague)",
    ),
    isPlain: true,
  },
  {
    name: "alwaysNever",
    type: "directive",
    pattern: start(
      "(?:(?:e|mas|por favor|também),? )*(?:sempre|nunca) (?:use|responda|escreva|faça|execute|rode|pergunte|altere|mexa|mude|apague|coloque|adicione|crie|teste|commite|suba)",
    ),
    isPlain: true,
  },
  {
    name: "remember",
    type: "knowledge",
    pattern: start("(?:lembre-se|lembre|lembra|tenha em mente|saiba|anote)(?: de)? (?:que|:)"),
    but: PT_BUT,
    isPlain: true,
  },
  {
    name: "correction",
    type: "feedback",
    pattern:
      /^(?:não|nao)[,.] (?:o|a|os|as|é|são|está)(?!\p{L}).{2,60},? (?:não|nao|e não) (?:o |a |é |em )?\S/u,
    isPlain: true,
  },
  {
    name: "must",
    type: "directive",
    pattern: word(
      "(?:todos|todas|cada) .{2,60}(?:deve|devem|tem que|têm que|precisam? ser|são guardados|são salvos)|(?:não|nao) (?:pode|podem|deve|devem) ser (?:alterad\\p{L}+|modificad\\p{L}+|apagad\\p{L}+)|é proibido",
    ),
    but: PT_BUT,
  },
  {
    name: "dont",
    type: "directive",
    pattern: start(
      "(?:(?:e|mas|por favor),? )*(?:não|nao) (?:use|adicione|crie|instale|modifique|mexa|mude|apague|altere) .*(?:nenhum|nenhuma|nada|sem (?:me )?(?:perguntar|avisar)\\p{L}*|dependências|comentários|arquivos d\\p{L}|pasta)",
    ),
    but: PT_BUT,
  },
  {
    name: "prefer",
    type: "preference",
    pattern: word("prefiro|(?:não|nao) gosto d\\p{L}+|odeio"),
    but: /\?|(?<!\p{L})(?:agora|como ficou|isso|isto)(?!\p{L})/u,
  },
  {
    name: "likeThings",
    type: "preference",
    pattern: word("(?:responda|responde|escreva|fale)(?: sempre)? em (?:português|inglês)"),
    isPlain: true,
  },
  {
    name: "told",
    type: "feedback",
    pattern: word(
      "(?:já|eu já|eu) (?:te |lhe )?(?:disse|falei|pedi) (?:para|pra|que) (?:não|nao|sempre|nunca)|quantas vezes",
    ),
  },
  {
    name: "goWith",
    type: "decision",
    pattern: word(
      "(?:vamos usar|usaremos|decidimos|optamos por|ficamos com|não teremos|não vamos (?:usar|fazer|suportar)) (?!(?:a opção|o primeiro|isso|isto)(?!\\p{L}))\\p{L}",
    ),
    but: /\?/u,
  },
  {
    name: "iDontKnow",
    type: "knowledge",
    pattern: word(
      "(?:não|nao) sei (?:programar|usar|nada de)|sou (?:novo|nova|iniciante|dentista|designer|estudante|o único)|nunca usei|uso (?:windows|linux|mac)|estou no (?:windows|linux|mac)",
    ),
    but: /\?/u,
  },
  {
    name: "weUse",
    type: "knowledge",
    pattern: word(
      "usamos|utilizamos|trabalhamos (?:com|para|em)|noss[oa]s? \\p{L}+ (?:é|são|usa|usam|roda|está em)|o servidor (?:é|usa|roda|tem)",
    ),
    but: PT_BUT,
  },
  {
    name: "isIn",
    type: "knowledge",
    pattern:
      /(?<!\p{L})(?:está|estão|fica|ficam)(?: salv\p{L}+| guardad\p{L}+)? (?:em|na pasta|no diretório|na|no) [\w.-]*[/\\][\w/\\.-]*/u,
    but: /\?|erro/u,
  },
  {
    name: "toDo",
    type: "procedure",
    pattern: /^(?:comando|deploy|build|teste)(?: de \p{L}+)?: ?\S/u,
    but: /\?|erro/u,
  },
];
