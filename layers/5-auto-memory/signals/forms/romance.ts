/** Spanish, Portuguese, Italian and French. `(?<!\p{L})` is a word's beginning where letters have accents. */
import type { Form } from "./form.js";

const word = (source: string): RegExp => new RegExp(String.raw`(?<!\p{L})(?:${source})(?!\p{L})`, "u");
const start = (source: string): RegExp => new RegExp(String.raw`^(?:${source})(?!\p{L})`, "u");

const ES_BUT = word(
  "todavía|aún|por ahora|esta vez|ahora mismo|de momento|hasta que|solo explícame|sólo explícame|este archivo|esta función|error|botón|pantalla|columna|color|funciona|dice",
);
export const spanish: readonly Form[] = [
  { name: "fromNow", type: "directive", pattern: word("a partir de ahora|de ahora en adelante|de aquí en adelante|desde ahora|de hoy en adelante"), but: word("funciona|aparece|falla"), isPlain: true },
  { name: "neverAgain", type: "directive", pattern: word("nunca más (?:uses|hagas|toques|cambies|borres|modifiques|pongas|escribas)|no vuelvas a|jamás (?:uses|hagas|toques|cambies|borres)"), isPlain: true },
  { name: "alwaysNever", type: "directive", pattern: start("(?:(?:y|pero|por favor|además),? )*(?:siempre|nunca) (?:usa|uses|responde|respondas|escribe|escribas|haz|hagas|ejecuta|ejecutes|pregunta|preguntes|modifiques|toques|cambies|borres|subas|pongas|agregues|añadas|utiliza|utilices|prueba|crea|crees|commitees)"), isPlain: true },
  { name: "remember", type: "knowledge", pattern: start("(?:recuerda|recordá|ten en cuenta|tené en cuenta|toma nota|para que sepas) (?:que|:)"), but: ES_BUT, isPlain: true },
  { name: "correction", type: "feedback", pattern: /^no[,.] (?:el|la|los|las|es|son|está)\b.{2,60},? no (?:el |la |es |en )?\S/u, isPlain: true },
  { name: "must", type: "directive", pattern: word("(?:todos|todas|cada) .{2,60}(?:debe|deben|tiene que|tienen que|se guardan?|van en|va en)|no (?:se puede|se debe|se deben) (?:modificar|tocar|cambiar|borrar|usar)|está prohibido"), but: ES_BUT },
  { name: "dont", type: "directive", pattern: start("(?:(?:y|pero|por favor),? )*no (?:uses|agregues|añadas|crees|instales|modifiques|toques|cambies|borres) .*(?:ning[uú]n|ninguna|nada|sin preguntar\\p{L}*|dependencias|comentarios|archivos de|carpeta|nunca)"), but: ES_BUT },
  { name: "prefer", type: "preference", pattern: word("prefiero|no me gustan?|odio|me gustan? (?:más|que)") , but: /\?|(?<!\p{L})(?:ahora|cómo|esto|eso|así|quedó)(?!\p{L})/u },
  { name: "likeThings", type: "preference", pattern: word("(?:responde|respóndeme|contesta|escribe|habla|háblame)(?: siempre)? en (?:español|castellano|inglés)"), isPlain: true },
  { name: "told", type: "feedback", pattern: word("(?:ya )?te (?:dije|he dicho|pedí|había dicho) que (?:no|siempre|nunca)|ya te (?:dije|lo dije|he dicho)|cuántas veces") },
  { name: "goWith", type: "decision", pattern: word("(?:vamos a usar|usaremos|decidimos|hemos decidido|optamos por|nos quedamos con|no haremos|no vamos a (?:usar|hacer|soportar)) (?!(?:la opción|el primero|eso|esto)(?!\\p{L}))\\p{L}"), but: /\?/u },
  { name: "iDontKnow", type: "knowledge", pattern: word("no sé programar|no sé (?:usar|nada de)|soy (?:nuevo|nueva|principiante|contador|diseñador|estudiante|médico|el único)|nunca he usado|uso (?:windows|linux|mac)|estoy en (?:windows|linux|mac)"), but: /\?/u },
  { name: "weUse", type: "knowledge", pattern: word("usamos|utilizamos|trabajamos (?:con|para|en)|nuestr[oa]s? \\p{L}+ (?:es|son|usa|usan|corre|está en)|(?:el|nuestro) (?:servidor|cliente) (?:es|usa|corre|tiene)"), but: ES_BUT },
  { name: "isIn", type: "knowledge", pattern: /(?<!\p{L})(?:está|están|esta|se encuentra|se encuentran)(?: guardad\p{L}+| ubicad\p{L}+)? en (?:la carpeta |el directorio |la ruta )?[\w.-]*[/\\][\w/\\.-]*/u, but: /\?|error/u },
];

const PT_BUT = word("ainda|por enquanto|desta vez|agora só|até|só explique|erro|botão|tela|coluna|cor|funciona");
export const portuguese: readonly Form[] = [
  { name: "fromNow", type: "directive", pattern: word("a partir de agora|de agora em diante|daqui (?:pra|para) frente|daqui em diante"), but: word("funciona|aparece|falha"), isPlain: true },
  { name: "neverAgain", type: "directive", pattern: word("nunca mais (?:use|faça|mexa|altere|apague|mude|coloque|escreva)|(?:não|nao) (?:volte|torne) a|jamais (?:use|faça|altere|apague)"), isPlain: true },
  { name: "alwaysNever", type: "directive", pattern: start("(?:(?:e|mas|por favor|também),? )*(?:sempre|nunca) (?:use|responda|escreva|faça|execute|rode|pergunte|altere|mexa|mude|apague|coloque|adicione|crie|teste|commite|suba)"), isPlain: true },
  { name: "remember", type: "knowledge", pattern: start("(?:lembre-se|lembre|lembra|tenha em mente|saiba|anote)(?: de)? (?:que|:)"), but: PT_BUT, isPlain: true },
  { name: "correction", type: "feedback", pattern: /^(?:não|nao)[,.] (?:o|a|os|as|é|são|está)(?!\p{L}).{2,60},? (?:não|nao|e não) (?:o |a |é |em )?\S/u, isPlain: true },
  { name: "must", type: "directive", pattern: word("(?:todos|todas|cada) .{2,60}(?:deve|devem|tem que|têm que|precisam? ser|são guardados|são salvos)|(?:não|nao) (?:pode|podem|deve|devem) ser (?:alterad\\p{L}+|modificad\\p{L}+|apagad\\p{L}+)|é proibido"), but: PT_BUT },
  { name: "dont", type: "directive", pattern: start("(?:(?:e|mas|por favor),? )*(?:não|nao) (?:use|adicione|crie|instale|modifique|mexa|mude|apague|altere) .*(?:nenhum|nenhuma|nada|sem (?:me )?(?:perguntar|avisar)\\p{L}*|dependências|comentários|arquivos d\\p{L}|pasta)"), but: PT_BUT },
  { name: "prefer", type: "preference", pattern: word("prefiro|(?:não|nao) gosto d\\p{L}+|odeio"), but: /\?|(?<!\p{L})(?:agora|como ficou|isso|isto)(?!\p{L})/u },
  { name: "likeThings", type: "preference", pattern: word("(?:responda|responde|escreva|fale)(?: sempre)? em (?:português|inglês)"), isPlain: true },
  { name: "told", type: "feedback", pattern: word("(?:já|eu já|eu) (?:te |lhe )?(?:disse|falei|pedi) (?:para|pra|que) (?:não|nao|sempre|nunca)|quantas vezes") },
  { name: "goWith", type: "decision", pattern: word("(?:vamos usar|usaremos|decidimos|optamos por|ficamos com|não teremos|não vamos (?:usar|fazer|suportar)) (?!(?:a opção|o primeiro|isso|isto)(?!\\p{L}))\\p{L}"), but: /\?/u },
  { name: "iDontKnow", type: "knowledge", pattern: word("(?:não|nao) sei (?:programar|usar|nada de)|sou (?:novo|nova|iniciante|dentista|designer|estudante|o único)|nunca usei|uso (?:windows|linux|mac)|estou no (?:windows|linux|mac)"), but: /\?/u },
  { name: "weUse", type: "knowledge", pattern: word("usamos|utilizamos|trabalhamos (?:com|para|em)|noss[oa]s? \\p{L}+ (?:é|são|usa|usam|roda|está em)|o servidor (?:é|usa|roda|tem)"), but: PT_BUT },
  { name: "isIn", type: "knowledge", pattern: /(?<!\p{L})(?:está|estão|fica|ficam)(?: salv\p{L}+| guardad\p{L}+)? (?:em|na pasta|no diretório|na|no) [\w.-]*[/\\][\w/\\.-]*/u, but: /\?|erro/u },
  { name: "toDo", type: "procedure", pattern: /^(?:comando|deploy|build|teste)(?: de \p{L}+)?: ?\S/u, but: /\?|erro/u },
];

const IT_BUT = word("ancora|per ora|per adesso|questa volta|finché|solo spiegami|spiegami solo|errore|pulsante|colonna|colore|funziona|analizza|dammi|dimmi");
export const italian: readonly Form[] = [
  { name: "fromNow", type: "directive", pattern: word("d'ora in poi|da ora in poi|d'ora in avanti|da adesso in poi|da oggi in poi"), but: word("funziona|compare"), isPlain: true },
  { name: "neverAgain", type: "directive", pattern: word("non (?:usare|fare|toccare|cambiare|cancellare|modificare|mettere|scrivere) mai più|mai più (?:usare|fare|toccare)|non devi (?:mai|più)"), isPlain: true },
  { name: "alwaysNever", type: "directive", pattern: word("^(?:(?:e|ma|per favore),? )*(?:usa|rispondi|scrivi|esegui|chiedi|controlla|metti|fai|aggiorna|testa) sempre|^(?:(?:e|ma|per favore),? )*non (?:usare|fare|toccare|cambiare|cancellare|modificare|mettere|scrivere|creare|aggiungere) mai"), isPlain: true },
  { name: "remember", type: "knowledge", pattern: start("(?:ricorda|ricordati|tieni presente|tieni conto|sappi|nota)(?: bene)? (?:che|:)"), but: IT_BUT, isPlain: true },
  { name: "correction", type: "feedback", pattern: /^no[,.] (?:il|la|lo|i|gli|le|è|sono|l')(?!\p{L}).{2,60},? (?:e )?non (?:il |la |è |in )?\S/u, isPlain: true },
  { name: "must", type: "directive", pattern: word("(?:tutti|tutte|ogni) .{2,60}(?:deve|devono|va|vanno) |non (?:va|vanno|deve|devono) (?:essere )?(?:modificat\\p{L}|toccat\\p{L}|cambiat\\p{L}|cancellat\\p{L})|è vietato"), but: IT_BUT },
  { name: "dont", type: "directive", pattern: start("(?:(?:e|ma|per favore),? )*non (?:usare|aggiungere|creare|installare|modificare|toccare|cambiare|cancellare) .*(?:nessun\\p{L}?|niente|senza (?:chieder\\p{L}+|il mio)|dipendenze|commenti|file (?:in|nella|della)|cartella)"), but: IT_BUT },
  { name: "prefer", type: "preference", pattern: word("preferisco|non mi piacciono|non mi piace|odio"), but: /\?|(?<!\p{L})(?:ora|adesso|com'è|questo|così)(?!\p{L})/u },
  { name: "likeThings", type: "preference", pattern: word("(?:rispondi|rispondimi|scrivi|parla)(?: sempre)? in (?:italiano|inglese)"), isPlain: true },
  { name: "told", type: "feedback", pattern: word("(?:ti )?ho (?:già )?(?:detto|chiesto) (?:di (?:non|usare)|che (?:non|devi))|te l'ho già detto|quante volte") },
  { name: "goWith", type: "decision", pattern: word("(?:useremo|abbiamo deciso|ho deciso|abbiamo scelto|restiamo con|non useremo|non faremo) (?!(?:la prima|questo|quello)(?!\\p{L}))\\p{L}|usiamo \\p{L}+, non"), but: /\?/u },
  { name: "iDontKnow", type: "knowledge", pattern: word("non so (?:programmare|usare|niente di)|sono (?:un |una )?(?:principiante|alle prime armi|studente|designer|geometra)|non ho mai usato|uso (?:windows|linux|mac)|sono su (?:windows|linux|mac)"), but: /\?/u },
  { name: "weUse", type: "knowledge", pattern: word("usiamo|utilizziamo|lavoriamo (?:con|per|su)|(?:il )?nostr[oa]s? \\p{L}+ (?:è|sono|usa|gira)|il server (?:è|usa|gira|ha)"), but: IT_BUT },
  { name: "isIn", type: "knowledge", pattern: /(?<!\p{L})(?:si trova|si trovano|è presente|sta|stanno|è in|sono in|ho)(?: tutt\p{L})?(?: dentro| nella cartella| nella directory| in| nel)? [\w.~-]*[/\\][\w/\\.-]*/u, but: /\?|errore|dove/u },
];

const FR_BUT = word("encore|pour l'instant|cette fois|pour le moment|explique seulement|erreur|bouton|colonne|couleur|marche|ce fichier");
export const french: readonly Form[] = [
  { name: "fromNow", type: "directive", pattern: word("à partir de maintenant|désormais|dorénavant|à l'avenir,"), but: word("marche|fonctionne|s'affiche|j'ai|il y a|est|sont|impossible"), isPlain: true },
  { name: "neverAgain", type: "directive", pattern: word("(?:ne|n')\\s?(?:\\p{L}+e|utilise|fais|touche|modifie|supprime|mets|écris)s? (?:plus )?jamais"), but: word("il|elle|ça|je|on"), isPlain: true },
  { name: "alwaysNever", type: "directive", pattern: start("(?:(?:et|mais|s'il te plaît),? )*(?:utilise|réponds|écris|lance|demande|vérifie|mets|fais|exécute|ajoute|garde) toujours"), isPlain: true },
  { name: "remember", type: "knowledge", pattern: start("(?:souviens-toi|rappelle-toi|retiens|garde en tête|garde à l'esprit|note bien)(?: que| qu'| :|:)"), but: FR_BUT, isPlain: true },
  { name: "correction", type: "feedback", pattern: /^non[,.] (?:le|la|les|c'est|l'|ce sont)(?!\p{L}) ?.{2,60}, (?:et )?pas \S/u, isPlain: true },
];
