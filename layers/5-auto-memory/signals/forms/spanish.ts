/** Spanish. */
import type { Form } from "./form.js";
import { start, word } from "./words.js";

const ES_BUT = word(
  "todavía|aún|por ahora|esta vez|ahora mismo|de momento|hasta que|solo explícame|sólo explícame|este archivo|esta función|error|botón|pantalla|columna|color|funciona|dice",
);
export const spanish: readonly Form[] = [
  {
    name: "fromNow",
    type: "directive",
    pattern: word(
      "a partir de ahora|de ahora en adelante|de aquí en adelante|desde ahora|de hoy en adelante",
    ),
    but: word("funciona|aparece|falla"),
    isPlain: true,
  },
  {
    name: "neverAgain",
    type: "directive",
    pattern: word(
      "nunca más (?:uses|hagas|toques|cambies|borres|modifiques|pongas|escribas)|no vuelvas a|jamás (?:uses|hagas|toques|cambies|borres)",
    ),
    isPlain: true,
  },
  {
    name: "alwaysNever",
    type: "directive",
    pattern: start(
      "(?:(?:y|pero|por favor|además),? )*(?:siempre|nunca) (?:usa|uses|responde|respondas|escribe|escribas|haz|hagas|ejecuta|ejecutes|pregunta|preguntes|modifiques|toques|cambies|borres|subas|pongas|agregues|añadas|utiliza|utilices|prueba|crea|crees|commitees)",
    ),
    isPlain: true,
  },
  {
    name: "remember",
    type: "knowledge",
    pattern: start("(?:recuerda|recordá|ten en cuenta|tené en cuenta|toma nota|para que sepas) (?:que|:)"),
    but: ES_BUT,
    isPlain: true,
  },
  {
    name: "correction",
    type: "feedback",
    pattern: /^no[,.] (?:el|la|los|las|es|son|está)\b.{2,60},? no (?:el |la |es |en )?\S/u,
    isPlain: true,
  },
  {
    name: "must",
    type: "directive",
    pattern: word(
      "(?:todos|todas|cada) .{2,60}(?:debe|deben|tiene que|tienen que|se guardan?|van en|va en)|no (?:se puede|se debe|se deben) (?:modificar|tocar|cambiar|borrar|usar)|está prohibido",
    ),
    but: ES_BUT,
  },
  {
    name: "dont",
    type: "directive",
    pattern: start(
      "(?:(?:y|pero|por favor),? )*no (?:uses|agregues|añadas|crees|instales|modifiques|toques|cambies|borres) .*(?:ning[uú]n|ninguna|nada|sin preguntar\\p{L}*|dependencias|comentarios|archivos de|carpeta|nunca)",
    ),
    but: ES_BUT,
  },
  {
    name: "prefer",
    type: "preference",
    pattern: word("prefiero|no me gustan?|odio|me gustan? (?:más|que)"),
    but: /\?|(?<!\p{L})(?:ahora|cómo|esto|eso|así|quedó)(?!\p{L})/u,
  },
  {
    name: "likeThings",
    type: "preference",
    pattern: word(
      "(?:responde|respóndeme|contesta|escribe|habla|háblame)(?: siempre)? en (?:español|castellano|inglés)",
    ),
    isPlain: true,
  },
  {
    name: "told",
    type: "feedback",
    pattern: word(
      "(?:ya )?te (?:dije|he dicho|pedí|había dicho) que (?:no|siempre|nunca)|ya te (?:dije|lo dije|he dicho)|cuántas veces",
    ),
  },
  {
    name: "goWith",
    type: "decision",
    pattern: word(
      "(?:vamos a usar|usaremos|decidimos|hemos decidido|optamos por|nos quedamos con|no haremos|no vamos a (?:usar|hacer|soportar)) (?!(?:la opción|el primero|eso|esto)(?!\\p{L}))\\p{L}",
    ),
    but: /\?/u,
  },
  {
    name: "iDontKnow",
    type: "knowledge",
    pattern: word(
      "no sé programar|no sé (?:usar|nada de)|soy (?:nuevo|nueva|principiante|contador|diseñador|estudiante|médico|el único)|nunca he usado|uso (?:windows|linux|mac)|estoy en (?:windows|linux|mac)",
    ),
    but: /\?/u,
  },
  {
    name: "weUse",
    type: "knowledge",
    pattern: word(
      "usamos|utilizamos|trabajamos (?:con|para|en)|nuestr[oa]s? \\p{L}+ (?:es|son|usa|usan|corre|está en)|(?:el|nuestro) (?:servidor|cliente) (?:es|usa|corre|tiene)",
    ),
    but: ES_BUT,
  },
  {
    name: "isIn",
    type: "knowledge",
    pattern:
      /(?<!\p{L})(?:está|están|esta|se encuentra|se encuentran)(?: guardad\p{L}+| ubicad\p{L}+)? en (?:la carpeta |el directorio |la ruta )?[\w.-]*[/\\][\w/\\.-]*/u,
    but: /\?|error/u,
  },
];
